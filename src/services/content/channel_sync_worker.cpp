#include "services/content/channel_sync_worker.h"

#include "services/content/architectures.h"
#include "services/fleet/yield_to_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace muster::content {
namespace {

constexpr std::size_t packages_per_batch = 2'000;
constexpr int attempts_max = 5;

using by_package = std::map<packages::package, std::uint32_t>;

std::string identity_of(const repository::repository_package& package) {
    return package.checksum_type + ":" + package.checksum;
}

packages::number_set numbers_of(
    const std::vector<packages::package>& fixed, const by_package& by_package) {
    std::vector<std::uint32_t> numbers;
    for (const auto& package : fixed) {
        const auto it = by_package.find(package);
        if (it != by_package.end()) numbers.push_back(it->second);
    }
    return packages::make_set(std::move(numbers));
}

bool is_unchanged(const erratum& one, const erratum& other) {
    return one.updated == other.updated && one.synopsis == other.synopsis
           && one.status == other.status && one.cves == other.cves;
}

// A channel with signature checks needs a key.
result<std::optional<repository::signer>> signer_of(const channel& channel) {
    if (!channel.gpg_check) return std::nullopt;
    repository::signer signer{
        .key_url = channel.gpg_url,
        .fingerprint = channel.gpg_print.empty() ? channel.gpg_id : channel.gpg_print};
    if (signer.key_url.empty() || signer.fingerprint.empty())
        return fail(
            errc::invalid,
            "channel has gpg_check but no signing key; set gpg_key_url and gpg_key_fp");
    return signer;
}

}  // namespace

result<void> channel_sync_worker::start(sync_task task) {
    {
        const std::lock_guard lock(mutex_);
        const auto it = stages_.find(task.channel);
        if (it != stages_.end() && it->second == "queued") return {};
        const auto channel = task.channel;
        if (!queue_.try_push(std::move(task)))
            return fail(errc::unavailable, "too many channel syncs queued; retry later");
        stages_.try_emplace(channel, "queued");
    }
    queued_.notify();
    return {};
}

std::optional<std::string> channel_sync_worker::stage_of(const std::string& channel) const {
    const std::lock_guard lock(mutex_);
    const auto it = stages_.find(channel);
    return it == stages_.end() ? std::nullopt : std::optional(it->second);
}

void channel_sync_worker::set_stage(const std::string& channel, std::optional<std::string> stage) {
    const std::lock_guard lock(mutex_);
    if (stage)
        stages_.insert_or_assign(channel, *std::move(stage));
    else
        stages_.erase(channel);
}

std::optional<channel_sync_worker::sync_task> channel_sync_worker::pop() {
    const std::lock_guard lock(mutex_);
    if (queue_.empty()) return std::nullopt;
    return queue_.pop();
}

std::set<std::string> channel_sync_worker::take_unrecorded() {
    const std::lock_guard lock(mutex_);
    return std::exchange(unrecorded_, {});
}

boost::asio::awaitable<void> channel_sync_worker::run() {
    while (true) {
        auto next = pop();
        if (!next) {
            const auto woken = co_await queued_.wait();
            if (!woken) co_return;
            continue;
        }
        const auto before = deps_.content.find<channel>(next->channel);
        const auto request = before ? before->sync_asked : std::nullopt;
        const auto outcome = co_await sync(*next);
        if (!outcome && outcome.error().code() == errc::cancelled) co_return;
        if (!outcome) {
            deps_.log.warning(
                "channel sync failed",
                {{"channel", next->channel}, {"error", to_string(outcome.error())}});
            const auto recorded = co_await record_failure(*next, request, outcome.error());
            if (!recorded && recorded.error().code() == errc::cancelled) co_return;
            if (!recorded) {
                const std::lock_guard lock(mutex_);
                unrecorded_.insert(next->channel);
            }
        }
        set_stage(next->channel, std::nullopt);
    }
}

async<void> channel_sync_worker::request(sync_task task) {
    const sync_request request{
        .at = deps_.clock.wall(), .by = task.by, .with_errata = task.with_errata};
    CO_CHECK_OK(co_await change(
        task.channel, task.by, [request](channel& current) { current.sync_asked = request; }));
    requested_.notify();
    co_return result<void>();
}

// Keeps a request that was recorded meanwhile.
async<void> channel_sync_worker::record_failure(
    sync_task task, std::optional<sync_request> tried, error failure) {
    co_return co_await change(task.channel, task.by, [tried, failure](channel& current) {
        current.sync_trouble = failure.detail();
        if (current.sync_asked == tried) current.sync_asked.reset();
    });
}

async<channel_sync_worker::contents_ref> channel_sync_worker::read_all(channel_ref channel) {
    const auto contents = std::make_shared<repository::contents>();
    CO_TRY(const auto signer, signer_of(*channel));
    for (const auto& label : channel->repositories) {
        const auto repository = deps_.content.find<content_repository>(label);
        if (!repository) continue;
        const auto layout =
            repository->kind == "deb" ? packages::family::deb : packages::family::rpm;
        auto work = deps_.reader.read(
            {.layout = layout,
             .url = repository->url,
             .arch = package_arch_of(channel->arch),
             .signed_by = signer},
            [this, channel_label = channel->label()](std::string stage) {
                set_stage(channel_label, std::move(stage));
            });
        auto read = co_await std::move(work);
        if (!read) co_return fail(read.error().with_context("repository \"" + label + "\""));
        contents->skipped += read->skipped;
        std::ranges::move(read->packages, std::back_inserter(contents->packages));
        std::ranges::move(read->errata, std::back_inserter(contents->errata));
    }
    co_return contents_ref(contents);
}

async<void> channel_sync_worker::write_package_batch(std::map<std::string, package_row> rows) {
    if (deps_.content.package_count() + rows.size() > library_limits::packages_max)
        co_return fail(
            errc::conflict,
            fmt::format(
                "limit of {} packages reached; remove packages that no channel contains",
                library_limits::packages_max));
    CO_TRY(auto number, co_await deps_.numbers.take(rows.size()));
    std::vector<package_row> new_rows;
    for (auto& [identity, row] : rows) {
        const auto before = deps_.content.number_before(identity);
        row.what.number = before != 0 ? before : number++;
        if (before != 0) {
            CO_TRY(const auto removed, co_await deps_.content.read_package(before));
            row.version = removed.version + 1;
        }
        new_rows.push_back(std::move(row));
    }
    co_return co_await deps_.content.write(std::move(new_rows));
}

async<packages::number_set> channel_sync_worker::write_packages(
    std::string label, contents_ref contents_ref) {
    const auto& found = contents_ref->packages;
    const auto now = deps_.clock.wall();
    for (std::size_t start = 0; start < found.size(); start += packages_per_batch) {
        set_stage(label, fmt::format("writing packages ({} of {})", start, found.size()));
        std::map<std::string, package_row> rows;
        for (auto index = start; index < std::min(found.size(), start + packages_per_batch);
             ++index) {
            auto identity = identity_of(found[index]);
            if (deps_.content.find_package(identity)) continue;
            rows.try_emplace(std::move(identity), row_of(found[index], 0, now));
        }
        co_await fleet::yield_to_loop();
        if (!rows.empty()) {
            CO_CHECK_OK(co_await write_package_batch(std::move(rows)));
        }
    }
    std::vector<std::uint32_t> numbers;
    numbers.reserve(found.size());
    for (const auto& package : found)
        if (const auto stored = deps_.content.find_package(identity_of(package)))
            numbers.push_back(stored->number);
    co_return packages::make_set(std::move(numbers));
}

async<packages::number_set> channel_sync_worker::write_errata(
    contents_ref contents_ref, packages::number_set within, std::string by) {
    by_package by_package;
    for (const auto& package : deps_.content.packages_of(within))
        by_package.insert_or_assign(package->what, package->number);
    std::map<std::string, content_record> changed;
    std::vector<std::uint32_t> numbers;
    for (const auto& repository_erratum : contents_ref->errata) {
        auto fixed = numbers_of(repository_erratum.fixed, by_package);
        if (fixed.empty()) continue;  // it is about packages that this channel has not
        const auto stored = deps_.content.find<erratum>(repository_erratum.name);
        auto row = stored ? stored->row
                          : deps_.content.begun_from(record_kind::erratum, repository_erratum.name);
        auto desired = erratum_of(repository_erratum);
        row.packages = packages::united(row.packages, fixed);
        if (row.number != 0) numbers.push_back(row.number);
        if (stored && is_unchanged(*stored, desired) && stored->row.packages == row.packages)
            continue;
        row.changed_by = by;
        desired.row = std::move(row);
        changed.try_emplace(
            repository_erratum.name, to_record(desired, texts_of(repository_erratum)));
    }
    if (changed.empty()) co_return packages::make_set(std::move(numbers));
    if (deps_.content.count<erratum>() + changed.size() > library_limits::errata_max)
        co_return fail(
            errc::conflict, fmt::format("limit of {} errata reached", library_limits::errata_max));
    CO_TRY(auto number, co_await deps_.numbers.take(changed.size()));
    std::vector<content_record> rows;
    for (auto& [name, row] : changed) {
        if (row.number == 0) row.number = number++;
        numbers.push_back(row.number);
        rows.push_back(std::move(row));
    }
    CO_CHECK_OK(co_await deps_.content.write(std::move(rows)));
    co_return packages::make_set(std::move(numbers));
}

async<void> channel_sync_worker::change(std::string label, std::string by, edit edit) {
    for (int attempt = 1;; ++attempt) {
        const auto current = deps_.content.find<channel>(label);
        if (!current) co_return fail(errc::not_found, "channel \"" + label + "\" was removed");
        auto changed = *current;
        edit(changed);
        changed.row.changed_by = by;
        const auto written = co_await deps_.content.write(to_record(changed));
        if (written) co_return result<void>();
        if (written.error().code() != errc::conflict || attempt == attempts_max)
            co_return fail(written.error());
        CO_CHECK_OK(co_await deps_.content.refresh());
    }
}

async<channel_sync_worker::outcome> channel_sync_worker::sync(sync_task task) {
    CO_CHECK_OK(co_await deps_.content.refresh());
    const auto before = deps_.content.find<channel>(task.channel);
    if (!before) co_return fail(errc::not_found, "channel \"" + task.channel + "\" not found");
    set_stage(task.channel, "starting");
    CO_TRY(auto contents, co_await read_all(before));
    CO_TRY(auto packages, co_await write_packages(task.channel, contents));
    packages::number_set errata;
    if (task.with_errata) {
        set_stage(task.channel, fmt::format("writing {} errata", contents->errata.size()));
        CO_TRY(errata, co_await write_errata(contents, packages, task.by));
    }
    outcome outcome{
        .packages = packages::without(packages, before->row.packages).size(),
        .errata = packages::without(errata, before->row.errata).size()};
    // Somebody may change the channel meanwhile: what is found is added to what there is then.
    const auto add_contents =
        [packages, errata, asked = before->sync_asked, now = deps_.clock.wall()](channel& current) {
            current.row.packages = packages::united(current.row.packages, packages);
            current.row.errata = packages::united(current.row.errata, errata);
            current.synced = now;
            current.sync_trouble.clear();
            if (current.sync_asked == asked) current.sync_asked.reset();
        };
    CO_CHECK_OK(co_await change(task.channel, task.by, add_contents));
    deps_.log.info(
        "channel synced",
        {{"channel", task.channel},
         {"packages", outcome.packages},
         {"errata", outcome.errata},
         {"skipped", contents->skipped}});
    co_return outcome;
}

}  // namespace muster::content
