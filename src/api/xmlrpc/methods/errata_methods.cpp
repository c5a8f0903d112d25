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

result<void> errata_methods::declare(method_book& to) {
    const auto add = [&](operation what, async<answer> (errata_methods::*does)(call)) {
        return to.add({std::move(what), done_by(this, does), codes()});
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

result<void> errata_methods::declare_changes(method_book& to) {
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

async<answer> errata_methods::get_details(call asked) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto found, view_.erratum(asked.text("advisoryName")));
    auto reading = view_.books().read_record(content::record_kind::erratum, found->name());
    CO_TRY(const auto row, co_await std::move(reading));
    CO_TRY(const auto texts, content::texts_of_erratum(row));
    std::string references;
    for (const auto& each : texts.references)
        if (!each.address.empty()) references += (references.empty() ? "" : "\n") + each.address;
    co_return answer{value::record{
        {"id", std::int64_t{found->row.number}},
        {"issue_date", shown_date(found->issued)},
        {"update_date", shown_date(found->updated)},
        {"last_modified_date", shown_date(found->row.changed)},
        {"release", 1},
        {"advisory_status", found->status},
        {"vendor_advisory", found->original},
        {"product", ""},
        {"errataFrom", texts.from},
        {"solution", ""},
        {"description", texts.description},
        {"synopsis", found->synopsis},
        {"topic", found->synopsis},
        {"references", references},
        {"notes", ""},
        {"type", found->type},
        {"severity", found->severity},
        {"reboot_suggested", found->wants_reboot},
        {"restart_suggested", found->wants_restart}}};
}

async<answer> errata_methods::list_packages(call asked) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto found, view_.erratum(asked.text("advisoryName")));
    co_return told_one_by_one<package_ref>(
        view_.books().packages_of(found->row.packages),
        [channels = view_.books().all<content::channel>()](const package_ref& each) -> value {
            value::list providing;
            for (const auto& channel : channels)
                if (packages::contains(channel->row.packages, each->number))
                    providing.push_back(channel->label());
            return value::record{
                {"id", std::int64_t{each->number}},
                {"name", each->what.name},
                {"epoch", shown_epoch(each->kind, each->what.at)},
                {"version", each->what.at.version},
                {"release", shown_release(each->kind, each->what.at)},
                {"arch_label", content::arch_label(each->kind, each->what.arch)},
                {"providing_channels", std::move(providing)},
                {"summary", each->summary},
                {"checksum", each->checksum},
                {"checksum_type", each->checksum_type},
                {"last_modified_date", shown_date(each->changed)}};
        });
}

async<answer> errata_methods::list_cves(call asked) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto found, view_.erratum(asked.text("advisoryName")));
    value::list made;
    for (const auto& each : found->cves) made.push_back(each);
    co_return answer{std::move(made)};
}

async<answer> errata_methods::list_bugs(call asked) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto found, view_.erratum(asked.text("advisoryName")));
    auto reading = view_.books().read_record(content::record_kind::erratum, found->name());
    CO_TRY(const auto row, co_await std::move(reading));
    CO_TRY(const auto texts, content::texts_of_erratum(row));
    value::record made;
    for (const auto& each : texts.references) {
        const bool known =
            std::ranges::any_of(made, [&](const member& other) { return other.name == each.id; });
        if (each.kind == "bugzilla" && !each.id.empty() && !known)
            made.push_back({each.id, each.title});
    }
    co_return answer{std::move(made)};
}

async<answer> errata_methods::list_channels(call asked) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto found, view_.erratum(asked.text("advisoryName")));
    value::list made;
    for (const auto& each : view_.books().all<content::channel>()) {
        if (!packages::contains(each->row.errata, found->row.number)) continue;
        made.push_back(value::record{
            {"channel_id", std::int64_t{each->number()}},
            {"label", each->label()},
            {"name", each->name},
            {"parent_channel_label", each->parent}});
    }
    co_return answer{std::move(made)};
}

async<answer> errata_methods::find_by_cve(call asked) {
    CO_CHECK_OK(co_await view_.catch_up());
    value::list made;
    for (const auto& each : view_.books().all<content::erratum>())
        if (std::ranges::count(each->cves, asked.text("cveName")) > 0)
            made.push_back(erratum_overview(*each));
    co_return answer{std::move(made)};
}

async<answer> errata_methods::list_systems(call asked) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto found, view_.erratum(asked.text("advisoryName")));
    CO_TRY(auto systems, view_.fleet().meant(asked));
    const auto fixed = view_.books().packages_of(found->row.packages);
    const auto concerned = [&books = view_.books(), found, fixed](
                               const packages::package_list& installed,
                               const std::vector<std::string>& labels) {
        packages::number_set offered;
        bool has_erratum = false;
        for (const auto& label : labels) {
            const auto channel = books.find<content::channel>(label);
            if (!channel) continue;
            has_erratum = has_erratum || packages::contains(channel->row.errata, found->row.number);
            offered = packages::united(offered, channel->row.packages);
        }
        return has_erratum && std::ranges::any_of(fixed, [&](const package_ref& each) {
                   return packages::contains(offered, each->number)
                          && packages::upgrades(installed, *each);
               });
    };
    CO_TRY(auto those, co_await view_.among(std::move(systems), concerned));
    co_return view_.fleet().list(std::move(those));
}

async<answer> errata_methods::publish(call asked) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto found, view_.erratum(asked.text("advisoryName")));
    const auto into = labels_in(asked, "channelLabels");
    for (const auto& each : into) {
        CO_CHECK_OK(view_.channel(each));
    }
    asked.set_subject(found->name());
    for (const auto& each : into) {
        CO_CHECK_OK(co_await view_.desk().publish({found->name()}, each, asked.who().user));
        asked.set_partly_done();
    }
    co_return answer{erratum_overview(*found)};
}

// A clone is the same erratum here: it has the same name, and is stored once.
async<answer> errata_methods::put_into_channel(call asked) {
    CO_CHECK_OK(co_await view_.catch_up());
    const auto names = labels_in(asked, "advisoryNames");
    asked.set_subject(asked.text("channelLabel"));
    auto work = view_.desk().publish(names, asked.text("channelLabel"), asked.who().user);
    CO_CHECK_OK(co_await std::move(work));
    value::list made;
    for (const auto& each : names) {
        CO_TRY(const auto found, view_.erratum(each));
        made.push_back(erratum_overview(*found));
    }
    co_return answer{std::move(made)};
}

async<answer> errata_methods::remove(call asked) {
    asked.set_subject(asked.text("advisoryName"));
    CO_CHECK_OK(co_await view_.desk().remove_erratum(asked.text("advisoryName"), asked.who().user));
    co_return answer{1};
}

}  // namespace muster::xmlrpc_api
