#include "api/xmlrpc/methods/content_query.h"

#include "ports/deadline.h"
#include "services/content/architectures.h"
#include "services/fleet/yield_to_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

namespace muster::xmlrpc_api {

using namespace api;
using namespace content;

namespace {

constexpr std::size_t piece_items = 500;
constexpr auto refresh_timeout = std::chrono::seconds(30);
constexpr std::int64_t channel_not_found = 1209;

struct paged_items {
    std::size_t count = 0;
    std::size_t next = 0;
    item_builder build_item;
};

async<value::list> next_piece(std::shared_ptr<paged_items> pages) {
    value::list list;
    while (list.empty() && pages->next < pages->count) {
        const auto end = std::min(pages->count, pages->next + piece_items);
        for (; pages->next < end; ++pages->next) {
            auto item = pages->build_item(pages->next);
            if (!item.is_nothing()) list.push_back(std::move(item));
        }
        co_await fleet::yield_to_loop();
    }
    co_return list;
}

packages::package_list nothing_installed() {
    return {};
}

}  // namespace

async<void> content_query::refresh() const {
    co_return co_await within(deps_.clock, refresh_timeout, deps_.content.refresh());
}

result<channel_ref> content_query::channel(const std::string& label) const {
    auto match = deps_.content.find<content::channel>(label);
    if (!match)
        return fail(errc::not_found, fmt::format("software channel \"{}\" not found", label));
    return match;
}

result<channel_ref> content_query::channel(std::int64_t number) const {
    auto match = deps_.content.find<content::channel>(static_cast<std::uint32_t>(number));
    if (!match)
        return fail(errc::not_found, fmt::format("software channel \"{}\" not found", number));
    return match;
}

result<channel_ref> content_query::find_channel(const call& call, std::string_view name) const {
    const auto* const argument = call.arguments().find(name);
    if (const auto* number = argument->get<std::int64_t>()) return channel(*number);
    return channel(call.text(name));
}

result<package_ref> content_query::package(std::int64_t number) const {
    auto package = deps_.content.find_package(static_cast<std::uint32_t>(number));
    if (!package) return fail(errc::not_found, fmt::format("package \"{}\" not found", number));
    return package;
}

result<erratum_ref> content_query::erratum(const std::string& advisory) const {
    auto match = deps_.content.find<content::erratum>(advisory);
    if (!match) return fail(errc::not_found, fmt::format("erratum \"{}\" not found", advisory));
    return match;
}

std::string content_query::digest_of(const system_record& system) const {
    for (const auto& fact : deps_.fleet.deps().search.facts_of(system.number))
        if (fact.path == "packages.digest") return fact.text;
    return {};
}

std::vector<std::string> content_query::labels_of(const system_record& system) const {
    const auto subscription = deps_.content.subscription_of(system.number);
    return subscription ? subscription->labels() : std::vector<std::string>();
}

async<list_ref> content_query::installed_on(system_record system) const {
    auto match =
        co_await within(deps_.clock, api::engine_timeout, deps_.sets.find(digest_of(system)));
    if (!match && match.error().code() == errc::not_found)
        co_return std::make_shared<const packages::package_list>(nothing_installed());
    co_return match;
}

std::shared_ptr<const packages::available_packages> content_query::available_to(
    const system_record& system) const {
    return deps_.content.shelf_of(labels_of(system));
}

async<std::vector<erratum_ref>> content_query::relevant_errata(system_record system) const {
    CO_TRY(const auto installed, co_await installed_on(system));
    const auto labels = labels_of(system);
    const auto newer = packages::newer_numbers(*installed, *deps_.content.shelf_of(labels));
    packages::number_set errata;
    for (const auto& label : labels)
        if (const auto channel = deps_.content.find<content::channel>(label))
            errata = packages::united(errata, channel->row.errata);
    std::vector<erratum_ref> relevant;
    for (const auto number : errata) {
        auto erratum = deps_.content.find<content::erratum>(number);
        if (erratum && packages::have_common(erratum->row.packages, newer))
            relevant.push_back(std::move(erratum));
    }
    co_return relevant;
}

result<void> content_query::check_deadline(instant deadline, progress progress) const {
    if (deps_.clock.now() < deadline) return {};
    return fail(
        errc::unavailable,
        fmt::format(
            "query timed out after {} s with {} of {} processed; query fewer systems",
            query_timeout.count(),
            progress.done,
            progress.total));
}

async<fleet::system_set> content_query::filter_systems(
    fleet::system_set systems, package_predicate predicate) const {
    const auto deadline = query_deadline();
    using channel_labels = std::pair<std::string, std::vector<std::string>>;
    std::map<channel_labels, fleet::system_set> systems_by_content;
    constexpr std::size_t page_size = 500;
    system_number next(1);
    std::size_t scanned = 0;
    for (bool finished = false; !finished; co_await fleet::yield_to_loop()) {
        CO_CHECK_OK(check_deadline(deadline, {.done = scanned, .total = systems.size()}));
        const auto numbers = systems.page(next, page_size);
        scanned += numbers.size();
        finished = numbers.size() < page_size;
        if (!finished) next = numbers.back().next();
        for (const auto number : numbers) {
            const auto record = deps_.fleet.deps().systems.find(number);
            if (!record) continue;
            auto digest = digest_of(*record);
            if (digest.empty()) continue;
            systems_by_content[{std::move(digest), labels_of(*record)}].add(number);
        }
    }
    fleet::system_set result;
    std::size_t done = 0;
    for (const auto& [content, group] : systems_by_content) {
        CO_CHECK_OK(check_deadline(deadline, {.done = done++, .total = systems_by_content.size()}));
        auto lookup = deps_.sets.find(content.first);
        const auto list = co_await within(deps_.clock, api::engine_timeout, std::move(lookup));
        if (!list && list.error().code() != errc::not_found)
            co_return fail(list.error().with_context(fmt::format(
                "packages of {} systems (first system: {})",
                group.size(),
                group.page(system_number(1), 1).front().value())));
        if (list && predicate(**list, content.second)) result |= group;
        co_await fleet::yield_to_loop();
    }
    co_return result;
}

fleet::system_set content_query::filter_subscribed(
    const fleet::system_set& systems, const std::string& label) const {
    fleet::system_set result;
    for (const auto& subscription : deps_.content.all<subscription>()) {
        const system_number number(subscription->row.number);
        if (systems.contains(number) && std::ranges::count(subscription->labels(), label) > 0)
            result.add(number);
    }
    return result;
}

std::string content_query::sync_status(const content::channel& channel) const {
    if (auto stage = deps_.syncs.stage_of(channel.label())) return *std::move(stage);
    if (channel.sync_asked) return "queued";
    if (!channel.sync_trouble.empty()) return "failed: " + channel.sync_trouble;
    return channel.synced ? "completed" : "";
}

value content_query::details(const content::channel& channel) const {
    const auto* const arch = find_arch(channel.arch);
    value::list sources;
    for (const auto& repository : channel.repositories) {
        const auto source = deps_.content.find<content_repository>(repository);
        if (!source) continue;
        sources.push_back(value::record{
            {"id", std::int64_t{source->row.number}},
            {"label", source->label()},
            {"sourceUrl", source->url},
            {"type", source->kind}});
    }
    return value::record{
        {"id", std::int64_t{channel.number()}},
        {"label", channel.label()},
        {"name", channel.name},
        {"arch_name", std::string(arch == nullptr ? "" : arch->name)},
        {"arch_label", channel.arch},
        {"summary", channel.summary},
        {"description", channel.description},
        {"checksum_label", channel.checksum},
        {"last_modified", channel.row.changed},
        {"maintainer_name", ""},
        {"maintainer_email", ""},
        {"maintainer_phone", ""},
        {"support_policy", ""},
        {"gpg_key_url", channel.gpg_url},
        {"gpg_key_id", channel.gpg_id},
        {"gpg_key_fp", channel.gpg_print},
        {"gpg_check", channel.gpg_check},
        {"yumrepo_last_sync", channel.synced ? value(*channel.synced) : value()},
        {"contentSources", std::move(sources)},
        {"end_of_life", ""},
        {"parent_channel_label", channel.parent},
        {"clone_original", channel.original},
        {"sync_status", sync_status(channel)}};
}

std::string epoch_text(packages::family /*kind*/, const packages::edition& edition) {
    return edition.epoch;
}

// Debian packages without a release have "X" here, which clients remove again.
std::string release_text(packages::family family, const packages::edition& edition) {
    return family == packages::family::deb && edition.release.empty() ? "X" : edition.release;
}

value package_entry(const stored_package& package) {
    return value::record{
        {"id", std::int64_t{package.number}},
        {"name", package.what.name},
        {"version", package.what.at.version},
        {"release", release_text(package.kind, package.what.at)},
        {"epoch", epoch_text(package.kind, package.what.at)},
        {"arch_label", arch_label(package.kind, package.what.arch)},
        {"checksum", package.checksum},
        {"checksum_type", package.checksum_type},
        {"last_modified_date", date_text(package.changed)},
        {"last_modified", date_text(package.changed)},
        {"retracted", false}};
}

std::string date_text(const std::optional<wall_time>& time) {
    if (!time) return {};
    const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(*time));
    return fmt::format(
        "{:04}-{:02}-{:02}",
        static_cast<int>(day.year()),
        static_cast<unsigned>(day.month()),
        static_cast<unsigned>(day.day()));
}

value erratum_overview(const content::erratum& erratum) {
    return value::record{
        {"id", std::int64_t{erratum.row.number}},
        {"issue_date", date_text(erratum.issued)},
        {"date", date_text(erratum.issued)},
        {"update_date", date_text(erratum.updated)},
        {"advisory_synopsis", erratum.synopsis},
        {"advisory_type", erratum.type},
        {"advisory_status", erratum.status},
        {"advisory_name", erratum.name()},
        {"reboot_suggested", erratum.wants_reboot},
        {"restart_suggested", erratum.wants_restart}};
}

method_response paged_list(std::size_t count, item_builder build_item) {
    auto pages = std::make_shared<paged_items>(
        paged_items{.count = count, .build_item = std::move(build_item)});
    return {.content = {}, .items = [pages] {
                return next_piece(pages);
            }};
}

parameter channel_label(std::string name) {
    return argument(std::move(name), api::name());
}

shape content_number() {
    return integer(1, INT32_MAX);
}

fault_codes content_faults() {
    return {.not_found = channel_not_found};
}

}  // namespace muster::xmlrpc_api
