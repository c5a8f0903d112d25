#include "api/xmlrpc/methods/errata_methods.h"

#include "services/content/architectures.h"

#include <algorithm>
#include <utility>

namespace muster::xmlrpc_api {

using namespace api;
using access::right;
using content::package_ref;

namespace {

constexpr std::int64_t unknown_erratum_fault = 2600;

parameter advisory() {
    return argument("advisoryName", api::name());
}

fault_codes codes() {
    return {.not_found = unknown_erratum_fault};
}

}  // namespace

result<void> errata_methods::declare(method_registry& registry) {
    const auto add = [&](operation operation,
                         async<method_response> (errata_methods::*body)(call)) {
        return registry.add({std::move(operation), handler(this, body), codes()});
    };
    const auto list = list_of(anything());
    CHECK_OK(
        add(read_method("errata.getDetails", "Get an erratum", {advisory()}, anything()),
            &errata_methods::get_details));
    CHECK_OK(add(
        read_method("errata.listPackages", "List the packages of an erratum", {advisory()}, list),
        &errata_methods::list_packages));
    CHECK_OK(
        add(read_method(
                "errata.listCves", "List the CVEs of an erratum", {advisory()}, list_of(text())),
            &errata_methods::list_cves));
    CHECK_OK(
        add(read_method(
                "errata.bugzillaFixes", "List the bugs of an erratum", {advisory()}, anything()),
            &errata_methods::list_bugs));
    CHECK_OK(add(
        read_method(
            "errata.applicableToChannels", "List the channels of an erratum", {advisory()}, list),
        &errata_methods::list_channels));
    CHECK_OK(add(
        read_method("errata.findByCve", "List errata by CVE", {argument("cveName", text())}, list),
        &errata_methods::find_by_cve));
    CHECK_OK(
        add(read_method(
                "errata.listAffectedSystems",
                "List the systems affected by an erratum",
                {advisory()},
                list),
            &errata_methods::list_systems));
    return declare_changes(registry);
}

result<void> errata_methods::declare_changes(method_registry& registry) {
    const auto list = list_of(anything());
    CHECK_OK(registry.add(
        {change_method(
             "errata.publish",
             "Add an erratum and its packages to channels",
             {advisory(), labels_parameter("channelLabels")},
             right::common_edit,
             anything()),
         handler(this, &errata_methods::publish),
         codes()}));
    for (const char* const name : {"errata.cloneAsOriginal", "errata.clone"}) {
        CHECK_OK(registry.add(
            {change_method(
                 name,
                 "Add errata and their packages to a channel",
                 {channel_label(), labels_parameter("advisoryNames")},
                 right::common_edit,
                 list),
             handler(this, &errata_methods::add_to_channel),
             codes()}));
    }
    return registry.add(
        {change_method(
             "errata.delete",
             "Delete an erratum; its packages stay",
             {advisory()},
             right::common_edit),
         handler(this, &errata_methods::remove),
         codes()});
}

async<method_response> errata_methods::get_details(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto match, content_.erratum(call.text("advisoryName")));
    auto lookup = content_.store().read_record(content::record_kind::erratum, match->name());
    CO_TRY(const auto row, co_await std::move(lookup));
    CO_TRY(const auto texts, content::texts_of_erratum(row));
    std::string references;
    for (const auto& reference : texts.references)
        if (!reference.address.empty())
            references += (references.empty() ? "" : "\n") + reference.address;
    co_return method_response{value::record{
        {"id", std::int64_t{match->row.number}},
        {"issue_date", date_text(match->issued)},
        {"update_date", date_text(match->updated)},
        {"last_modified_date", date_text(match->row.changed)},
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

async<method_response> errata_methods::list_packages(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto match, content_.erratum(call.text("advisoryName")));
    co_return paged_list<package_ref>(
        content_.store().packages_of(match->row.packages),
        [channels = content_.store().all<content::channel>()](const package_ref& package) -> value {
            value::list labels;
            for (const auto& channel : channels)
                if (packages::contains(channel->row.packages, package->number))
                    labels.push_back(channel->label());
            return value::record{
                {"id", std::int64_t{package->number}},
                {"name", package->what.name},
                {"epoch", epoch_text(package->kind, package->what.at)},
                {"version", package->what.at.version},
                {"release", release_text(package->kind, package->what.at)},
                {"arch_label", content::arch_label(package->kind, package->what.arch)},
                {"providing_channels", std::move(labels)},
                {"summary", package->summary},
                {"checksum", package->checksum},
                {"checksum_type", package->checksum_type},
                {"last_modified_date", date_text(package->changed)}};
        });
}

async<method_response> errata_methods::list_cves(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto match, content_.erratum(call.text("advisoryName")));
    value::list list;
    for (const auto& cve : match->cves) list.push_back(cve);
    co_return method_response{std::move(list)};
}

async<method_response> errata_methods::list_bugs(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto match, content_.erratum(call.text("advisoryName")));
    auto lookup = content_.store().read_record(content::record_kind::erratum, match->name());
    CO_TRY(const auto row, co_await std::move(lookup));
    CO_TRY(const auto texts, content::texts_of_erratum(row));
    value::record record;
    for (const auto& reference : texts.references) {
        const bool repeated = std::ranges::any_of(
            record, [&](const member& other) { return other.name == reference.id; });
        if (reference.kind == "bugzilla" && !reference.id.empty() && !repeated)
            record.push_back({reference.id, reference.title});
    }
    co_return method_response{std::move(record)};
}

async<method_response> errata_methods::list_channels(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto match, content_.erratum(call.text("advisoryName")));
    value::list list;
    for (const auto& channel : content_.store().all<content::channel>()) {
        if (!packages::contains(channel->row.errata, match->row.number)) continue;
        list.push_back(value::record{
            {"channel_id", std::int64_t{channel->number()}},
            {"label", channel->label()},
            {"name", channel->name},
            {"parent_channel_label", channel->parent}});
    }
    co_return method_response{std::move(list)};
}

async<method_response> errata_methods::find_by_cve(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    value::list list;
    for (const auto& erratum : content_.store().all<content::erratum>())
        if (std::ranges::count(erratum->cves, call.text("cveName")) > 0)
            list.push_back(erratum_overview(*erratum));
    co_return method_response{std::move(list)};
}

async<method_response> errata_methods::list_systems(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto match, content_.erratum(call.text("advisoryName")));
    CO_TRY(auto systems, content_.fleet().find_systems(call));
    const auto fixed = content_.store().packages_of(match->row.packages);
    const auto is_affected = [&store = content_.store(), match, fixed](
                                 const packages::package_list& installed,
                                 const std::vector<std::string>& labels) {
        packages::number_set available;
        bool has_erratum = false;
        for (const auto& label : labels) {
            const auto channel = store.find<content::channel>(label);
            if (!channel) continue;
            has_erratum = has_erratum || packages::contains(channel->row.errata, match->row.number);
            available = packages::united(available, channel->row.packages);
        }
        return has_erratum && std::ranges::any_of(fixed, [&](const package_ref& package) {
                   return packages::contains(available, package->number)
                          && packages::upgrades(installed, *package);
               });
    };
    CO_TRY(auto affected, co_await content_.filter_systems(std::move(systems), is_affected));
    co_return content_.fleet().list(std::move(affected));
}

async<method_response> errata_methods::publish(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto match, content_.erratum(call.text("advisoryName")));
    const auto labels = read_labels(call, "channelLabels");
    for (const auto& label : labels) {
        CO_CHECK_OK(content_.channel(label));
    }
    call.set_subject(match->name());
    for (const auto& label : labels) {
        CO_CHECK_OK(
            co_await content_.service().publish({match->name()}, label, call.caller().user));
        call.set_partly_done();
    }
    co_return method_response{erratum_overview(*match)};
}

// A clone is the same erratum here: it has the same name and is stored once.
async<method_response> errata_methods::add_to_channel(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    const auto names = read_labels(call, "advisoryNames");
    call.set_subject(call.text("channelLabel"));
    auto work = content_.service().publish(names, call.text("channelLabel"), call.caller().user);
    CO_CHECK_OK(co_await std::move(work));
    value::list list;
    for (const auto& name : names) {
        CO_TRY(const auto match, content_.erratum(name));
        list.push_back(erratum_overview(*match));
    }
    co_return method_response{std::move(list)};
}

async<method_response> errata_methods::remove(call call) {
    call.set_subject(call.text("advisoryName"));
    CO_CHECK_OK(
        co_await content_.service().remove_erratum(call.text("advisoryName"), call.caller().user));
    co_return method_response{1};
}

}  // namespace muster::xmlrpc_api
