#include "api/xmlrpc/methods/package_methods.h"

#include "services/content/architectures.h"
#include "services/fleet/let_others_run.h"

#include <algorithm>
#include <utility>

namespace muster::xmlrpc_api {

using namespace api;
using access::right;
using content::package_ref;

namespace {

constexpr std::int64_t package_unknown = 2300;
constexpr std::size_t looked_at_once = 5'000;
constexpr std::size_t found_max = 50'000;

parameter which_package() {
    return argument("pid", content_number());
}

std::string file_of(const std::string& path) {
    const auto slash = path.rfind('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

value overview(const content::stored_package& of) {
    return value::record{
        {"id", std::int64_t{of.number}},
        {"name", of.what.name},
        {"summary", of.summary},
        {"description", of.summary},
        {"version", of.what.at.version},
        {"release", shown_release(of.kind, of.what.at)},
        {"epoch", shown_epoch(of.kind, of.what.at)},
        {"arch", content::arch_label(of.kind, of.what.arch)},
        {"provider", ""}};
}

}  // namespace

result<void> package_methods::declare(method_book& to) {
    const fault_codes codes{.not_found = package_unknown};
    const auto add = [&](operation what, async<answer> (package_methods::*does)(call)) {
        return to.add({std::move(what), done_by(this, does), codes});
    };
    const auto some = list_of(anything());
    CHECK_OK(
        add(asking("packages.getDetails", "A package", {which_package()}, anything()),
            &package_methods::get_details));
    CHECK_OK(add(
        asking(
            "packages.listProvidingChannels", "The channels of a package", {which_package()}, some),
        &package_methods::list_channels));
    CHECK_OK(add(
        asking("packages.listProvidingErrata", "The errata of a package", {which_package()}, some),
        &package_methods::list_errata));
    std::vector<parameter> parts;
    for (const char* const part : {"name", "version", "release", "epoch", "archLabel"})
        parts.push_back(argument(part, text()));
    CHECK_OK(
        add(asking("packages.findByNvrea", "Packages by all parts of their names", parts, some),
            &package_methods::find));
    CHECK_OK(
        add(changing(
                "packages.removePackage",
                "Forgets a package, and takes it out of its channels",
                {which_package()},
                right::common_edit),
            &package_methods::remove));
    const auto words = text(static_cast<std::int64_t>(package_query::text_bytes_max));
    CHECK_OK(
        add(asking(
                "packages.search.advanced",
                "Packages by terms",
                {argument("luceneQuery", words)},
                some),
            &package_methods::search_advanced));
    CHECK_OK(
        add(asking(
                "packages.search.name",
                "Packages by a part of the name",
                {argument("name", words)},
                some),
            &package_methods::search_name));
    return add(
        asking(
            "packages.search.nameAndSummary",
            "Packages by a part of the name or the summary",
            {argument("query", words)},
            some),
        &package_methods::search_name_and_summary);
}

async<answer> package_methods::get_details(call asked) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto known, view_.package(asked.integer("pid")));
    CO_TRY(const auto row, co_await view_.books().read_package(known->number));
    value::list channels;
    for (const auto& each : view_.books().all<content::channel>())
        if (packages::contains(each->row.packages, known->number))
            channels.push_back(each->label());
    const auto& more = row.details;
    co_return answer{value::record{
        {"id", std::int64_t{known->number}},
        {"name", known->what.name},
        {"epoch", shown_epoch(known->kind, known->what.at)},
        {"version", known->what.at.version},
        {"release", shown_release(known->kind, known->what.at)},
        {"arch_label", content::arch_label(known->kind, known->what.arch)},
        {"providing_channels", std::move(channels)},
        {"build_host", more.build_host},
        {"description", more.description},
        {"checksum", known->checksum},
        {"checksum_type", known->checksum_type},
        {"vendor", more.vendor},
        {"summary", known->summary},
        {"cookie", ""},
        {"license", more.license},
        {"path", more.path},
        {"file", file_of(more.path)},
        {"build_date", shown_date(more.built)},
        {"last_modified_date", shown_date(known->changed)},
        {"size", std::to_string(more.size)},
        {"payload_size", std::to_string(more.installed_size)},
        {"part_of_retracted_patch", false}}};
}

async<answer> package_methods::list_channels(call asked) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto known, view_.package(asked.integer("pid")));
    value::list made;
    for (const auto& each : view_.books().all<content::channel>()) {
        if (!packages::contains(each->row.packages, known->number)) continue;
        made.push_back(value::record{
            {"label", each->label()}, {"parent_label", each->parent}, {"name", each->name}});
    }
    co_return answer{std::move(made)};
}

async<answer> package_methods::list_errata(call asked) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto known, view_.package(asked.integer("pid")));
    value::list made;
    for (const auto& each : view_.books().all<content::erratum>()) {
        if (!packages::contains(each->row.packages, known->number)) continue;
        made.push_back(value::record{
            {"advisory", each->name()},
            {"issue_date", shown_date(each->issued)},
            {"last_modified_date", shown_date(each->row.changed)},
            {"update_date", shown_date(each->updated)},
            {"synopsis", each->synopsis},
            {"type", each->type}});
    }
    co_return answer{std::move(made)};
}

async<answer> package_methods::find(call asked) {
    CO_CHECK_OK(co_await view_.catch_up());
    value::list made;
    for (const auto& each : view_.books().all_packages()) {
        const auto& what = each->what;
        if (what.name != asked.text("name") || what.at.version != asked.text("version")) continue;
        if (shown_release(each->kind, what.at) != asked.text("release")) continue;
        if (what.at.epoch != asked.text("epoch")) continue;
        if (content::arch_label(each->kind, what.arch) == asked.text("archLabel"))
            made.push_back(package_entry(*each));
    }
    co_return answer{std::move(made)};
}

async<answer> package_methods::remove(call asked) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto known, view_.package(asked.integer("pid")));
    asked.set_subject(known->what.name + " " + packages::to_string(known->what.at));
    CO_CHECK_OK(co_await view_.desk().remove_package(known->number, asked.who().user));
    co_return answer{1};
}

async<answer> package_methods::search(package_query wanted) {
    CO_CHECK_OK(co_await view_.catch_up());
    std::vector<package_ref> found;
    std::size_t looked_at = 0;
    for (auto& each : view_.books().all_packages()) {
        if (++looked_at % looked_at_once == 0) co_await fleet::let_others_run();
        if (!wanted.matches(*each)) continue;
        if (found.size() == found_max)
            co_return fail(errc::invalid, "too many packages fit; ask for less");
        found.push_back(std::move(each));
    }
    co_return told_one_by_one<package_ref>(
        std::move(found), [](const package_ref& each) { return overview(*each); });
}

async<answer> package_methods::search_advanced(call asked) {
    CO_TRY(auto wanted, package_query::parse(asked.text("luceneQuery")));
    co_return co_await search(std::move(wanted));
}

async<answer> package_methods::search_name(call asked) {
    CO_TRY(auto wanted, package_query::parse("name:\"*" + asked.text("name") + "*\""));
    co_return co_await search(std::move(wanted));
}

async<answer> package_methods::search_name_and_summary(call asked) {
    CO_TRY(auto wanted, package_query::parse("\"" + asked.text("query") + "\""));
    co_return co_await search(std::move(wanted));
}

}  // namespace muster::xmlrpc_api
