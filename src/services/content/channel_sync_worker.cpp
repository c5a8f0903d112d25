#include "services/content/channel_sync_worker.h"

#include "services/content/architectures.h"
#include "services/fleet/let_others_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace muster::content {
namespace {

constexpr std::size_t piece = 2'000;
constexpr int attempts_max = 5;

using by_package = std::map<packages::package, std::uint32_t>;

std::string identity_of(const repository::repository_package& of) {
    return of.checksum_type + ":" + of.checksum;
}

packages::number_set numbers_of(
    const std::vector<packages::package>& fixed, const by_package& by_package) {
    std::vector<std::uint32_t> result;
    for (const auto& each : fixed) {
        const auto it = by_package.find(each);
        if (it != by_package.end()) result.push_back(it->second);
    }
    return packages::make_set(std::move(result));
}

bool says_the_same(const erratum& one, const erratum& other) {
    return one.updated == other.updated && one.synopsis == other.synopsis
           && one.status == other.status && one.cves == other.cves;
}

// Who wants signatures checked must say whose.
result<std::optional<repository::signer>> signer_of(const channel& of) {
    if (!of.gpg_check) return std::nullopt;
    repository::signer signer{
        .key_url = of.gpg_url, .print = of.gpg_print.empty() ? of.gpg_id : of.gpg_print};
    if (signer.key_url.empty() || signer.print.empty())
        return fail(
            errc::invalid,
            "the channel wants signatures checked (gpg_check) and says not by which key: "
            "gpg_key_url and gpg_key_fp are needed");
    return signer;
}

}  // namespace

result<void> channel_sync_worker::start(sync_task task) {
    {
        const std::lock_guard lock(guard_);
        const auto now = stages_.find(task.channel);
        if (now != stages_.end() && now->second == "queued") return {};
        const auto channel = task.channel;
        if (!waiting_.try_push(std::move(task)))
            return fail(errc::unavailable, "too many channels wait already; try again later");
        stages_.try_emplace(channel, "queued");
    }
    more_.ring();
    return {};
}

std::optional<std::string> channel_sync_worker::stage_of(const std::string& channel) const {
    const std::lock_guard lock(guard_);
    const auto it = stages_.find(channel);
    return it == stages_.end() ? std::nullopt : std::optional(it->second);
}

void channel_sync_worker::tell(const std::string& channel, std::optional<std::string> stage) {
    const std::lock_guard lock(guard_);
    if (stage)
        stages_.insert_or_assign(channel, *std::move(stage));
    else
        stages_.erase(channel);
}

std::optional<channel_sync_worker::sync_task> channel_sync_worker::take() {
    const std::lock_guard lock(guard_);
    if (waiting_.empty()) return std::nullopt;
    return waiting_.pop();
}

std::set<std::string> channel_sync_worker::take_unnoted() {
    const std::lock_guard lock(guard_);
    return std::exchange(unnoted_, {});
}

boost::asio::awaitable<void> channel_sync_worker::run() {
    while (true) {
        auto next = take();
        if (!next) {
            const auto rung = co_await more_.wait();
            if (!rung) co_return;
            continue;
        }
        const auto before = deps_.content.find<channel>(next->channel);
        const auto request = before ? before->sync_asked : std::nullopt;
        const auto done = co_await sync(*next);
        if (!done && done.error().code() == errc::cancelled) co_return;
        if (!done) {
            deps_.log.warning(
                "a channel was not brought up to its repositories",
                {{"channel", next->channel}, {"reason", to_string(done.error())}});
            const auto noted = co_await note_trouble(*next, request, done.error());
            if (!noted && noted.error().code() == errc::cancelled) co_return;
            if (!noted) {
                const std::lock_guard lock(guard_);
                unnoted_.insert(next->channel);
            }
        }
        tell(next->channel, std::nullopt);
    }
}

async<void> channel_sync_worker::request(sync_task task) {
    const sync_request request{
        .at = deps_.clock.wall(), .by = task.by, .with_errata = task.with_errata};
    CO_CHECK_OK(co_await change(
        task.channel, task.by, [request](channel& of) { of.sync_asked = request; }));
    requested_.ring();
    co_return result<void>();
}

// A request that came meanwhile stays.
async<void> channel_sync_worker::note_trouble(
    sync_task what, std::optional<sync_request> tried, error why) {
    co_return co_await change(what.channel, what.by, [tried, why](channel& of) {
        of.sync_trouble = why.detail();
        if (of.sync_asked == tried) of.sync_asked.reset();
    });
}

async<channel_sync_worker::contents_ref> channel_sync_worker::read_all(channel_ref channel_ref) {
    const auto all = std::make_shared<repository::contents>();
    CO_TRY(const auto signer, signer_of(*channel_ref));
    for (const auto& each : channel_ref->repositories) {
        const auto from = deps_.content.find<content_repository>(each);
        if (!from) continue;
        const auto layout = from->kind == "deb" ? packages::family::deb : packages::family::rpm;
        auto work = deps_.reader.read(
            {.layout = layout,
             .url = from->url,
             .arch = package_arch_of(channel_ref->arch),
             .signed_by = signer},
            [this, label = channel_ref->label()](std::string stage) {
                tell(label, std::move(stage));
            });
        auto match = co_await std::move(work);
        if (!match) co_return fail(match.error().within("the repository " + each));
        all->left_out += match->left_out;
        std::ranges::move(match->packages, std::back_inserter(all->packages));
        std::ranges::move(match->errata, std::back_inserter(all->errata));
    }
    co_return contents_ref(all);
}

async<void> channel_sync_worker::keep_piece(std::map<std::string, package_row> rows) {
    if (deps_.content.package_count() + rows.size() > library_limits::packages_max)
        co_return fail(
            errc::conflict,
            fmt::format(
                "the cluster would have more than {} packages; remove some that no channel has",
                library_limits::packages_max));
    CO_TRY(auto number, co_await deps_.numbers.take(rows.size()));
    std::vector<package_row> fresh;
    for (auto& [identity, row] : rows) {
        const auto before = deps_.content.number_before(identity);
        row.what.number = before != 0 ? before : number++;
        if (before != 0) {
            CO_TRY(const auto gone, co_await deps_.content.read_package(before));
            row.version = gone.version + 1;
        }
        fresh.push_back(std::move(row));
    }
    co_return co_await deps_.content.write(std::move(fresh));
}

async<packages::number_set> channel_sync_worker::keep_packages(
    std::string label, contents_ref contents_ref) {
    const auto& all = contents_ref->packages;
    const auto now = deps_.clock.wall();
    for (std::size_t from = 0; from < all.size(); from += piece) {
        tell(label, fmt::format("brings {} of {} packages on record", from, all.size()));
        std::map<std::string, package_row> rows;
        for (auto at = from; at < std::min(all.size(), from + piece); ++at) {
            auto identity = identity_of(all[at]);
            if (deps_.content.find_package(identity)) continue;
            rows.try_emplace(std::move(identity), row_of(all[at], 0, now));
        }
        co_await fleet::let_others_run();
        if (!rows.empty()) {
            CO_CHECK_OK(co_await keep_piece(std::move(rows)));
        }
    }
    std::vector<std::uint32_t> numbers;
    numbers.reserve(all.size());
    for (const auto& each : all)
        if (const auto package = deps_.content.find_package(identity_of(each)))
            numbers.push_back(package->number);
    co_return packages::make_set(std::move(numbers));
}

async<packages::number_set> channel_sync_worker::keep_errata(
    contents_ref contents_ref, packages::number_set within, std::string by) {
    by_package by_package;
    for (const auto& package : deps_.content.packages_of(within))
        by_package.insert_or_assign(package->what, package->number);
    std::map<std::string, content_record> changed;
    std::vector<std::uint32_t> all;
    for (const auto& each : contents_ref->errata) {
        auto fixed = numbers_of(each.fixed, by_package);
        if (fixed.empty()) continue;  // it is about packages that this channel has not
        const auto there = deps_.content.find<erratum>(each.name);
        auto row = there ? there->row : deps_.content.begun_from(record_kind::erratum, each.name);
        auto desired = erratum_of(each);
        row.packages = packages::united(row.packages, fixed);
        if (row.number != 0) all.push_back(row.number);
        if (there && says_the_same(*there, desired) && there->row.packages == row.packages)
            continue;
        row.changed_by = by;
        desired.row = std::move(row);
        changed.try_emplace(each.name, to_record(desired, texts_of(each)));
    }
    if (changed.empty()) co_return packages::make_set(std::move(all));
    if (deps_.content.count<erratum>() + changed.size() > library_limits::errata_max)
        co_return fail(errc::conflict, "the cluster would have too many errata");
    CO_TRY(auto number, co_await deps_.numbers.take(changed.size()));
    std::vector<content_record> rows;
    for (auto& [name, row] : changed) {
        if (row.number == 0) row.number = number++;
        all.push_back(row.number);
        rows.push_back(std::move(row));
    }
    CO_CHECK_OK(co_await deps_.content.write(std::move(rows)));
    co_return packages::make_set(std::move(all));
}

async<void> channel_sync_worker::change(std::string label, std::string by, edit edit) {
    for (int attempt = 1;; ++attempt) {
        const auto there = deps_.content.find<channel>(label);
        if (!there) co_return fail(errc::not_found, "the channel " + label + " was removed");
        auto changed = *there;
        edit(changed);
        changed.row.changed_by = by;
        const auto written = co_await deps_.content.write(to_record(changed));
        if (written) co_return result<void>();
        if (written.error().code() != errc::conflict || attempt == attempts_max)
            co_return fail(written.error());
        CO_CHECK_OK(co_await deps_.content.catch_up());
    }
}

async<channel_sync_worker::outcome> channel_sync_worker::sync(sync_task task) {
    CO_CHECK_OK(co_await deps_.content.catch_up());
    const auto before = deps_.content.find<channel>(task.channel);
    if (!before) co_return fail(errc::not_found, "there is no channel " + task.channel);
    tell(task.channel, "begins");
    CO_TRY(auto all, co_await read_all(before));
    CO_TRY(auto packages, co_await keep_packages(task.channel, all));
    packages::number_set errata;
    if (task.with_errata) {
        tell(task.channel, fmt::format("brings {} errata on record", all->errata.size()));
        CO_TRY(errata, co_await keep_errata(all, packages, task.by));
    }
    outcome outcome{
        .packages = packages::without(packages, before->row.packages).size(),
        .errata = packages::without(errata, before->row.errata).size()};
    // Somebody may change the channel meanwhile: what is found is added to what there is then.
    const auto keep =
        [packages, errata, asked = before->sync_asked, now = deps_.clock.wall()](channel& of) {
            of.row.packages = packages::united(of.row.packages, packages);
            of.row.errata = packages::united(of.row.errata, errata);
            of.synced = now;
            of.sync_trouble.clear();
            if (of.sync_asked == asked) of.sync_asked.reset();
        };
    CO_CHECK_OK(co_await change(task.channel, task.by, keep));
    deps_.log.info(
        "a channel was brought up to its repositories",
        {{"channel", task.channel},
         {"packages", std::to_string(outcome.packages)},
         {"errata", std::to_string(outcome.errata)},
         {"left_out", std::to_string(all->left_out)}});
    co_return outcome;
}

}  // namespace muster::content
