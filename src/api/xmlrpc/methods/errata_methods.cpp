#include "api/xmlrpc/methods/errata_methods.h"

#include "services/content/architectures.h"

#include <algorithm>
#include <utility>

namespace muster::xmlrpc_api {

using namespace api;
using access::right;
using content::package_ref;

namespace {

constexpr std::int64_t erratum_unknown = 2600;

parameter advisory() {
    return argument("advisoryName", api::name());
}

fault_codes codes() {
    return {.not_found = erratum_unknown};
}

}  // namespace

result<void> errata_methods::declare(method_registry& to) {
    const auto add = [&](operation operation, async<answer> (errata_methods::*does)(call)) {
        return to.add({std::move(operation), done_by(this, does), codes()});
    };
    const auto some = list_of(anything());
    CHECK_OK(
        add(asking("errata.getDetails", "An erratum", {advisory()}, anything()),
            &errata_methods::get_details));
    CHECK_OK(
        add(asking("errata.listPackages", "The packages of an erratum", {advisory()}, some),
            &errata_methods::list_packages));
    CHECK_OK(
        add(asking("errata.listCves", "The CVEs of an erratum", {advisory()}, list_of(text())),
            &errata_methods::list_cves));
    CHECK_OK(
        add(asking("errata.bugzillaFixes", "The bugs of an erratum", {advisory()}, anything()),
            &errata_methods::list_bugs));
    CHECK_OK(
        add(asking("errata.applicableToChannels", "The channels of an erratum", {advisory()}, some),
            &errata_methods::list_channels));
    CHECK_OK(
        add(asking("errata.findByCve", "Errata by a CVE", {argument("cveName", text())}, some),
            &errata_methods::find_by_cve));
    CHECK_OK(
        add(asking(
                "errata.listAffectedSystems",
                "The systems for which an erratum has newer packages",
                {advisory()},
                some),
            &errata_methods::list_systems));
    return declare_changes(to);
}

result<void> errata_methods::declare_changes(method_registry& to) {
    const auto some = list_of(anything());
    CHECK_OK(to.add(
        {changing(
             "errata.publish",
             "Adds an erratum and its packages to channels",
             {advisory(), labels("channelLabels")},
             right::common_edit,
             anything()),
         done_by(this, &errata_methods::publish),
         codes()}));
    for (const char* const name : {"errata.cloneAsOriginal", "errata.clone"}) {
        CHECK_OK(to.add(
            {changing(
                 name,
                 "Adds errata and their packages to a channel",
                 {channel_label(), labels("advisoryNames")},
                 right::common_edit,
                 some),
             done_by(this, &errata_methods::put_into_channel),
             codes()}));
    }
    return to.add(
        {changing(
             "errata.delete",
             "Forgets an erratum; its packages stay",
             {advisory()},
             right::common_edit),
         done_by(this, &errata_methods::remove),
         codes()});
}

async<answer> errata_methods::get_details(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto match, view_.erratum(call.text("advisoryName")));
    auto reading = view_.books().read_record(content::record_kind::erratum, match->name());
    CO_TRY(const auto row, co_await std::move(reading));
    CO_TRY(const auto texts, content::texts_of_erratum(row));
    std::string references;
    for (const auto& reference : texts.references)
        if (!reference.address.empty())
            references += (references.empty() ? "" : "\n") + reference.address;
    co_return answer{value::record{
        {"id", std::int64_t{match->row.number}},
        {"issue_date", shown_date(match->issued)},
        {"update_date", shown_date(match->updated)},
        {"last_modified_date", shown_date(match->row.changed)},
        {"release", 1},
        {"advisory_status", match->status},
        {"vendor_advisory", match->original},
        {"product", ""},
        {"errataFrom", texts.from},
        {"solution", ""},
        {"description", texts.description},
        {"synopsis", match->synopsis},
        {"topic", match->synopsis},
        {"references", references},
        {"notes", ""},
        {"type", match->type},
        {"severity", match->severity},
        {"reboot_suggested", match->wants_reboot},
        {"restart_suggested", match->wants_restart}}};
}

async<answer> errata_methods::list_packages(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto match, view_.erratum(call.text("advisoryName")));
    co_return told_one_by_one<package_ref>(
        view_.books().packages_of(match->row.packages),
        [channels =
             view_.books().all<content::channel>()](const package_ref& package_ref) -> value {
            value::list providing;
            for (const auto& channel : channels)
                if (packages::contains(channel->row.packages, package_ref->number))
                    providing.push_back(channel->label());
            return value::record{
                {"id", std::int64_t{package_ref->number}},
                {"name", package_ref->what.name},
                {"epoch", shown_epoch(package_ref->kind, package_ref->what.at)},
                {"version", package_ref->what.at.version},
                {"release", shown_release(package_ref->kind, package_ref->what.at)},
                {"arch_label", content::arch_label(package_ref->kind, package_ref->what.arch)},
                {"providing_channels", std::move(providing)},
                {"summary", package_ref->summary},
                {"checksum", package_ref->checksum},
                {"checksum_type", package_ref->checksum_type},
                {"last_modified_date", shown_date(package_ref->changed)}};
        });
}

async<answer> errata_methods::list_cves(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto match, view_.erratum(call.text("advisoryName")));
    value::list list;
    for (const auto& cve : match->cves) list.push_back(cve);
    co_return answer{std::move(list)};
}

async<answer> errata_methods::list_bugs(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto match, view_.erratum(call.text("advisoryName")));
    auto reading = view_.books().read_record(content::record_kind::erratum, match->name());
    CO_TRY(const auto row, co_await std::move(reading));
    CO_TRY(const auto texts, content::texts_of_erratum(row));
    value::record record;
    for (const auto& reference : texts.references) {
        const bool existing = std::ranges::any_of(
            record, [&](const member& other) { return other.name == reference.id; });
        if (reference.kind == "bugzilla" && !reference.id.empty() && !existing)
            record.push_back({reference.id, reference.title});
    }
    co_return answer{std::move(record)};
}

async<answer> errata_methods::list_channels(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto match, view_.erratum(call.text("advisoryName")));
    value::list list;
    for (const auto& each : view_.books().all<content::channel>()) {
        if (!packages::contains(each->row.errata, match->row.number)) continue;
        list.push_back(value::record{
            {"channel_id", std::int64_t{each->number()}},
            {"label", each->label()},
            {"name", each->name},
            {"parent_channel_label", each->parent}});
    }
    co_return answer{std::move(list)};
}

async<answer> errata_methods::find_by_cve(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    value::list list;
    for (const auto& each : view_.books().all<content::erratum>())
        if (std::ranges::count(each->cves, call.text("cveName")) > 0)
            list.push_back(erratum_overview(*each));
    co_return answer{std::move(list)};
}

async<answer> errata_methods::list_systems(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto match, view_.erratum(call.text("advisoryName")));
    CO_TRY(auto systems, view_.fleet().meant(call));
    const auto fixed = view_.books().packages_of(match->row.packages);
    const auto concerned = [&books = view_.books(), match, fixed](
                               const packages::package_list& installed,
                               const std::vector<std::string>& labels) {
        packages::number_set offered;
        bool has_erratum = false;
        for (const auto& label : labels) {
            const auto channel = books.find<content::channel>(label);
            if (!channel) continue;
            has_erratum = has_erratum || packages::contains(channel->row.errata, match->row.number);
            offered = packages::united(offered, channel->row.packages);
        }
        return has_erratum && std::ranges::any_of(fixed, [&](const package_ref& package_ref) {
                   return packages::contains(offered, package_ref->number)
                          && packages::upgrades(installed, *package_ref);
               });
    };
    CO_TRY(auto those, co_await view_.among(std::move(systems), concerned));
    co_return view_.fleet().list(std::move(those));
}

async<answer> errata_methods::publish(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto match, view_.erratum(call.text("advisoryName")));
    const auto into = labels_in(call, "channelLabels");
    for (const auto& each : into) {
        CO_CHECK_OK(view_.channel(each));
    }
    call.set_subject(match->name());
    for (const auto& each : into) {
        CO_CHECK_OK(co_await view_.service().publish({match->name()}, each, call.who().user));
        call.set_partly_done();
    }
    co_return answer{erratum_overview(*match)};
}

// A clone is the same erratum here: it has the same name, and is stored once.
async<answer> errata_methods::put_into_channel(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    const auto names = labels_in(call, "advisoryNames");
    call.set_subject(call.text("channelLabel"));
    auto work = view_.service().publish(names, call.text("channelLabel"), call.who().user);
    CO_CHECK_OK(co_await std::move(work));
    value::list list;
    for (const auto& name : names) {
        CO_TRY(const auto match, view_.erratum(name));
        list.push_back(erratum_overview(*match));
    }
    co_return answer{std::move(list)};
}

async<answer> errata_methods::remove(call call) {
    call.set_subject(call.text("advisoryName"));
    CO_CHECK_OK(
        co_await view_.service().remove_erratum(call.text("advisoryName"), call.who().user));
    co_return answer{1};
}

}  // namespace muster::xmlrpc_api
