#include "services/content/sync_desk.h"

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

std::string identity_of(const repository::found_package& of) {
    return of.checksum_type + ":" + of.checksum;
}

packages::number_set numbers_of(
    const std::vector<packages::package>& fixed, const by_package& known) {
    std::vector<std::uint32_t> made;
    for (const auto& each : fixed) {
        const auto found = known.find(each);
        if (found != known.end()) made.push_back(found->second);
    }
    return packages::make_set(std::move(made));
}

bool says_the_same(const erratum& one, const erratum& other) {
    return one.updated == other.updated && one.synopsis == other.synopsis
           && one.status == other.status && one.cves == other.cves;
}

// Who wants signatures checked must say whose.
result<std::optional<repository::signer>> signer_of(const channel& of) {
    if (!of.gpg_check) return std::nullopt;
    repository::signer made{
        .key_url = of.gpg_url, .print = of.gpg_print.empty() ? of.gpg_id : of.gpg_print};
    if (made.key_url.empty() || made.print.empty())
        return fail(
            errc::invalid,
            "the channel wants signatures checked (gpg_check) and says not by which key: "
            "gpg_key_url and gpg_key_fp are needed");
    return made;
}

}  // namespace

result<void> sync_desk::start(wish what) {
    {
        const std::lock_guard lock(guard_);
        const auto now = stages_.find(what.channel);
        if (now != stages_.end() && now->second == "queued") return {};
        const auto channel = what.channel;
        if (!waiting_.try_push(std::move(what)))
            return fail(errc::unavailable, "too many channels wait already; try again later");
        stages_.try_emplace(channel, "queued");
    }
    more_.ring();
    return {};
}

std::optional<std::string> sync_desk::stage_of(const std::string& channel) const {
    const std::lock_guard lock(guard_);
    const auto found = stages_.find(channel);
    return found == stages_.end() ? std::nullopt : std::optional(found->second);
}

void sync_desk::tell(const std::string& channel, std::optional<std::string> stage) {
    const std::lock_guard lock(guard_);
    if (stage)
        stages_.insert_or_assign(channel, *std::move(stage));
    else
        stages_.erase(channel);
}

std::optional<sync_desk::wish> sync_desk::take() {
    const std::lock_guard lock(guard_);
    if (waiting_.empty()) return std::nullopt;
    return waiting_.pop();
}

std::set<std::string> sync_desk::take_unnoted() {
    const std::lock_guard lock(guard_);
    return std::exchange(unnoted_, {});
}

boost::asio::awaitable<void> sync_desk::run() {
    while (true) {
        auto next = take();
        if (!next) {
            const auto rung = co_await more_.wait();
            if (!rung) co_return;
            continue;
        }
        const auto before = around_.books.find<channel>(next->channel);
        const auto asked = before ? before->sync_asked : std::nullopt;
        const auto done = co_await sync(*next);
        if (!done && done.error().code() == errc::cancelled) co_return;
        if (!done) {
            around_.log.warning(
                "a channel was not brought up to its repositories",
                {{"channel", next->channel}, {"reason", to_string(done.error())}});
            const auto noted = co_await note_trouble(*next, asked, done.error());
            if (!noted && noted.error().code() == errc::cancelled) co_return;
            if (!noted) {
                const std::lock_guard lock(guard_);
                unnoted_.insert(next->channel);
            }
        }
        tell(next->channel, std::nullopt);
    }
}

async<void> sync_desk::request(wish what) {
    const sync_request asked{
        .at = around_.time.wall(), .by = what.by, .with_errata = what.with_errata};
    CO_CHECK_OK(
        co_await change(what.channel, what.by, [asked](channel& of) { of.sync_asked = asked; }));
    requested_.ring();
    co_return result<void>();
}

// A request that came meanwhile stays.
async<void> sync_desk::note_trouble(wish what, std::optional<sync_request> tried, error why) {
    co_return co_await change(what.channel, what.by, [tried, why](channel& of) {
        of.sync_trouble = why.detail();
        if (of.sync_asked == tried) of.sync_asked.reset();
    });
}

async<sync_desk::contents_ref> sync_desk::read_all(channel_ref which) {
    const auto all = std::make_shared<repository::contents>();
    CO_TRY(const auto signer, signer_of(*which));
    for (const auto& each : which->repositories) {
        const auto from = around_.books.find<repository_noun>(each);
        if (!from) continue;
        const auto layout = from->kind == "deb" ? packages::family::deb : packages::family::rpm;
        auto work = around_.reader.read(
            {.layout = layout,
             .url = from->url,
             .arch = package_arch_of(which->arch),
             .signed_by = signer},
            [this, label = which->label()](std::string stage) { tell(label, std::move(stage)); });
        auto found = co_await std::move(work);
        if (!found) co_return fail(found.error().within("the repository " + each));
        all->left_out += found->left_out;
        std::ranges::move(found->packages, std::back_inserter(all->packages));
        std::ranges::move(found->errata, std::back_inserter(all->errata));
    }
    co_return contents_ref(all);
}

async<void> sync_desk::keep_piece(std::map<std::string, package_row> rows) {
    if (around_.books.package_count() + rows.size() > library_limits::packages_max)
        co_return fail(
            errc::conflict,
            fmt::format(
                "the cluster would have more than {} packages; remove some that no channel has",
                library_limits::packages_max));
    CO_TRY(auto number, co_await around_.numbers.take(rows.size()));
    std::vector<package_row> fresh;
    for (auto& [identity, row] : rows) {
        const auto before = around_.books.number_before(identity);
        row.what.number = before != 0 ? before : number++;
        if (before != 0) {
            CO_TRY(const auto gone, co_await around_.books.read_package(before));
            row.version = gone.version + 1;
        }
        fresh.push_back(std::move(row));
    }
    co_return co_await around_.books.write(std::move(fresh));
}

async<packages::number_set> sync_desk::keep_packages(std::string label, contents_ref found) {
    const auto& all = found->packages;
    const auto now = around_.time.wall();
    for (std::size_t from = 0; from < all.size(); from += piece) {
        tell(label, fmt::format("brings {} of {} packages on record", from, all.size()));
        std::map<std::string, package_row> rows;
        for (auto at = from; at < std::min(all.size(), from + piece); ++at) {
            auto identity = identity_of(all[at]);
            if (around_.books.find_package(identity)) continue;
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
        if (const auto kept = around_.books.find_package(identity_of(each)))
            numbers.push_back(kept->number);
    co_return packages::make_set(std::move(numbers));
}

async<packages::number_set> sync_desk::keep_errata(
    contents_ref found, packages::number_set within, std::string by) {
    by_package known;
    for (const auto& each : around_.books.packages_of(within))
        known.insert_or_assign(each->what, each->number);
    std::map<std::string, content_record> changed;
    std::vector<std::uint32_t> all;
    for (const auto& each : found->errata) {
        auto fixed = numbers_of(each.fixed, known);
        if (fixed.empty()) continue;  // it is about packages that this channel has not
        const auto there = around_.books.find<erratum>(each.name);
        auto row = there ? there->row : around_.books.begun_from(record_kind::erratum, each.name);
        auto wanted = erratum_of(each);
        row.packages = packages::united(row.packages, fixed);
        if (row.number != 0) all.push_back(row.number);
        if (there && says_the_same(*there, wanted) && there->row.packages == row.packages) continue;
        row.changed_by = by;
        wanted.row = std::move(row);
        changed.try_emplace(each.name, to_record(wanted, texts_of(each)));
    }
    if (changed.empty()) co_return packages::make_set(std::move(all));
    if (around_.books.count<erratum>() + changed.size() > library_limits::errata_max)
        co_return fail(errc::conflict, "the cluster would have too many errata");
    CO_TRY(auto number, co_await around_.numbers.take(changed.size()));
    std::vector<content_record> rows;
    for (auto& [name, row] : changed) {
        if (row.number == 0) row.number = number++;
        all.push_back(row.number);
        rows.push_back(std::move(row));
    }
    CO_CHECK_OK(co_await around_.books.write(std::move(rows)));
    co_return packages::make_set(std::move(all));
}

async<void> sync_desk::change(std::string label, std::string by, edit how) {
    for (int attempt = 1;; ++attempt) {
        const auto there = around_.books.find<channel>(label);
        if (!there) co_return fail(errc::not_found, "the channel " + label + " was removed");
        auto changed = *there;
        how(changed);
        changed.row.changed_by = by;
        const auto written = co_await around_.books.write(to_record(changed));
        if (written) co_return result<void>();
        if (written.error().code() != errc::conflict || attempt == attempts_max)
            co_return fail(written.error());
        CO_CHECK_OK(co_await around_.books.catch_up());
    }
}

async<sync_desk::outcome> sync_desk::sync(wish what) {
    CO_CHECK_OK(co_await around_.books.catch_up());
    const auto before = around_.books.find<channel>(what.channel);
    if (!before) co_return fail(errc::not_found, "there is no channel " + what.channel);
    tell(what.channel, "begins");
    CO_TRY(auto found, co_await read_all(before));
    CO_TRY(auto packages, co_await keep_packages(what.channel, found));
    packages::number_set errata;
    if (what.with_errata) {
        tell(what.channel, fmt::format("brings {} errata on record", found->errata.size()));
        CO_TRY(errata, co_await keep_errata(found, packages, what.by));
    }
    outcome made{
        .packages = packages::without(packages, before->row.packages).size(),
        .errata = packages::without(errata, before->row.errata).size()};
    // Somebody may change the channel meanwhile: what is found is added to what there is then.
    const auto keep =
        [packages, errata, asked = before->sync_asked, now = around_.time.wall()](channel& of) {
            of.row.packages = packages::united(of.row.packages, packages);
            of.row.errata = packages::united(of.row.errata, errata);
            of.synced = now;
            of.sync_trouble.clear();
            if (of.sync_asked == asked) of.sync_asked.reset();
        };
    CO_CHECK_OK(co_await change(what.channel, what.by, keep));
    around_.log.info(
        "a channel was brought up to its repositories",
        {{"channel", what.channel},
         {"packages", std::to_string(made.packages)},
         {"errata", std::to_string(made.errata)},
         {"left_out", std::to_string(found->left_out)}});
    co_return made;
}

}  // namespace muster::content
