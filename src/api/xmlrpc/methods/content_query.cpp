#include "api/xmlrpc/methods/content_query.h"

#include "ports/deadline.h"
#include "services/content/architectures.h"
#include "services/fleet/let_others_run.h"

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
constexpr auto catch_up_timeout = std::chrono::seconds(30);
constexpr std::int64_t no_such_channel = 1209;

struct pieces {
    std::size_t count = 0;
    std::size_t at = 0;
    list_teller told;
};

async<value::list> next_piece(std::shared_ptr<pieces> of) {
    value::list list;
    while (list.empty() && of->at < of->count) {
        const auto end = std::min(of->count, of->at + piece_items);
        for (; of->at < end; ++of->at) {
            auto item = of->told(of->at);
            if (!item.is_nothing()) list.push_back(std::move(item));
        }
        co_await fleet::let_others_run();
    }
    co_return list;
}

packages::package_list nothing_installed() {
    return {};
}

}  // namespace

async<void> content_query::catch_up() const {
    co_return co_await within(deps_.clock, catch_up_timeout, deps_.content.catch_up());
}

result<channel_ref> content_query::channel(const std::string& label) const {
    auto match = deps_.content.find<content::channel>(label);
    if (!match) return fail(errc::not_found, fmt::format("There is no software channel {}", label));
    return match;
}

result<channel_ref> content_query::channel(std::int64_t number) const {
    auto match = deps_.content.find<content::channel>(static_cast<std::uint32_t>(number));
    if (!match)
        return fail(errc::not_found, fmt::format("There is no software channel {}", number));
    return match;
}

result<channel_ref> content_query::channel_in(const call& call, std::string_view name) const {
    const auto* const given = call.arguments().find(name);
    if (const auto* number = given->get<std::int64_t>()) return channel(*number);
    return channel(call.text(name));
}

result<package_ref> content_query::package(std::int64_t number) const {
    auto package = deps_.content.find_package(static_cast<std::uint32_t>(number));
    if (!package) return fail(errc::not_found, fmt::format("There is no package {}", number));
    return package;
}

result<erratum_ref> content_query::erratum(const std::string& advisory) const {
    auto match = deps_.content.find<content::erratum>(advisory);
    if (!match) return fail(errc::not_found, fmt::format("There is no erratum {}", advisory));
    return match;
}

std::string content_query::digest_of(const system_record& of) const {
    for (const auto& fact : deps_.fleet.around().search.facts_of(of.number))
        if (fact.path == "packages.digest") return fact.text;
    return {};
}

std::vector<std::string> content_query::labels_of(const system_record& of) const {
    const auto has = deps_.content.subscription_of(of.number);
    return has ? has->labels() : std::vector<std::string>();
}

async<list_ref> content_query::installed_on(system_record of) const {
    auto match = co_await within(deps_.clock, api::engine_timeout, deps_.sets.find(digest_of(of)));
    if (!match && match.error().code() == errc::not_found)
        co_return std::make_shared<const packages::package_list>(nothing_installed());
    co_return match;
}

std::shared_ptr<const packages::available_packages> content_query::shelf_of(
    const system_record& of) const {
    return deps_.content.shelf_of(labels_of(of));
}

async<std::vector<erratum_ref>> content_query::relevant_to(system_record of) const {
    CO_TRY(const auto installed, co_await installed_on(of));
    const auto labels = labels_of(of);
    const auto newer = packages::newer_numbers(*installed, *deps_.content.shelf_of(labels));
    packages::number_set errata;
    for (const auto& label : labels)
        if (const auto has = deps_.content.find<content::channel>(label))
            errata = packages::united(errata, has->row.errata);
    std::vector<erratum_ref> erratum_refs;
    for (const auto number : errata) {
        auto each = deps_.content.find<content::erratum>(number);
        if (each && packages::have_common(each->row.packages, newer))
            erratum_refs.push_back(std::move(each));
    }
    co_return erratum_refs;
}

result<void> content_query::check_time(instant ends, progress now) const {
    if (deps_.clock.now() < ends) return {};
    return fail(
        errc::unavailable,
        fmt::format(
            "the question took longer than {} s, and {} of {} were looked at; ask about fewer "
            "systems",
            question_time.count(),
            now.done,
            now.of));
}

async<fleet::system_set> content_query::among(fleet::system_set systems, question question) const {
    const auto ends = question_ends();
    using channel_labels = std::pair<std::string, std::vector<std::string>>;
    std::map<channel_labels, fleet::system_set> alike;
    constexpr std::size_t looked_at_once = 500;
    system_number next(1);
    std::size_t observed = 0;
    for (bool over = false; !over; co_await fleet::let_others_run()) {
        CO_CHECK_OK(check_time(ends, {.done = observed, .of = systems.size()}));
        const auto numbers = systems.page(next, looked_at_once);
        observed += numbers.size();
        over = numbers.size() < looked_at_once;
        if (!over) next = numbers.back().next();
        for (const auto number : numbers) {
            const auto record = deps_.fleet.around().systems.find(number);
            if (!record) continue;
            auto digest = digest_of(*record);
            if (digest.empty()) continue;
            alike[{std::move(digest), labels_of(*record)}].add(number);
        }
    }
    fleet::system_set result;
    std::size_t done = 0;
    for (const auto& [how, those] : alike) {
        CO_CHECK_OK(check_time(ends, {.done = done++, .of = alike.size()}));
        auto reading = deps_.sets.find(how.first);
        const auto list = co_await within(deps_.clock, api::engine_timeout, std::move(reading));
        if (!list && list.error().code() != errc::not_found)
            co_return fail(list.error().within(fmt::format(
                "the packages of {} systems, of which {} is the first",
                those.size(),
                those.page(system_number(1), 1).front().value())));
        if (list && question(**list, how.second)) result |= those;
        co_await fleet::let_others_run();
    }
    co_return result;
}

fleet::system_set content_query::subscribed(
    const fleet::system_set& systems, const std::string& label) const {
    fleet::system_set system_set;
    for (const auto& each : deps_.content.all<subscription>()) {
        const system_number number(each->row.number);
        if (systems.contains(number) && std::ranges::count(each->labels(), label) > 0)
            system_set.add(number);
    }
    return system_set;
}

std::string content_query::sync_status(const content::channel& of) const {
    if (auto stage = deps_.syncs.stage_of(of.label())) return *std::move(stage);
    if (of.sync_asked) return "queued";
    if (!of.sync_trouble.empty()) return "failed: " + of.sync_trouble;
    return of.synced ? "completed" : "";
}

value content_query::details(const content::channel& of) const {
    const auto* const arch = find_arch(of.arch);
    value::list sources;
    for (const auto& repository : of.repositories) {
        const auto from = deps_.content.find<content_repository>(repository);
        if (!from) continue;
        sources.push_back(value::record{
            {"id", std::int64_t{from->row.number}},
            {"label", from->label()},
            {"sourceUrl", from->url},
            {"type", from->kind}});
    }
    return value::record{
        {"id", std::int64_t{of.number()}},
        {"label", of.label()},
        {"name", of.name},
        {"arch_name", std::string(arch == nullptr ? "" : arch->name)},
        {"arch_label", of.arch},
        {"summary", of.summary},
        {"description", of.description},
        {"checksum_label", of.checksum},
        {"last_modified", of.row.changed},
        {"maintainer_name", ""},
        {"maintainer_email", ""},
        {"maintainer_phone", ""},
        {"support_policy", ""},
        {"gpg_key_url", of.gpg_url},
        {"gpg_key_id", of.gpg_id},
        {"gpg_key_fp", of.gpg_print},
        {"gpg_check", of.gpg_check},
        {"yumrepo_last_sync", of.synced ? value(*of.synced) : value()},
        {"contentSources", std::move(sources)},
        {"end_of_life", ""},
        {"parent_channel_label", of.parent},
        {"clone_original", of.original},
        {"sync_status", sync_status(of)}};
}

std::string shown_epoch(packages::family /*kind*/, const packages::edition& at) {
    return at.epoch;
}

// Debian's packages without a release have "X" there, which clients drop again.
std::string shown_release(packages::family kind, const packages::edition& at) {
    return kind == packages::family::deb && at.release.empty() ? "X" : at.release;
}

value package_entry(const stored_package& of) {
    return value::record{
        {"id", std::int64_t{of.number}},
        {"name", of.what.name},
        {"version", of.what.at.version},
        {"release", shown_release(of.kind, of.what.at)},
        {"epoch", shown_epoch(of.kind, of.what.at)},
        {"arch_label", arch_label(of.kind, of.what.arch)},
        {"checksum", of.checksum},
        {"checksum_type", of.checksum_type},
        {"last_modified_date", shown_date(of.changed)},
        {"last_modified", shown_date(of.changed)},
        {"retracted", false}};
}

std::string shown_date(const std::optional<wall_time>& when) {
    if (!when) return {};
    const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(*when));
    return fmt::format(
        "{:04}-{:02}-{:02}",
        static_cast<int>(day.year()),
        static_cast<unsigned>(day.month()),
        static_cast<unsigned>(day.day()));
}

value erratum_overview(const content::erratum& of) {
    return value::record{
        {"id", std::int64_t{of.row.number}},
        {"issue_date", shown_date(of.issued)},
        {"date", shown_date(of.issued)},
        {"update_date", shown_date(of.updated)},
        {"advisory_synopsis", of.synopsis},
        {"advisory_type", of.type},
        {"advisory_status", of.status},
        {"advisory_name", of.name()},
        {"reboot_suggested", of.wants_reboot},
        {"restart_suggested", of.wants_restart}};
}

answer told_in_pieces(std::size_t count, list_teller list_teller) {
    auto result = std::make_shared<pieces>(pieces{.count = count, .told = std::move(list_teller)});
    return {.content = {}, .items = [result] {
                return next_piece(result);
            }};
}

parameter channel_label(std::string name) {
    return argument(std::move(name), api::name());
}

shape content_number() {
    return integer(1, INT32_MAX);
}

fault_codes content_faults() {
    return {.not_found = no_such_channel};
}

}  // namespace muster::xmlrpc_api
