#include "api/xmlrpc/methods/package_methods.h"

#include "services/content/architectures.h"
#include "services/fleet/yield_to_loop.h"

#include <algorithm>
#include <utility>

namespace muster::xmlrpc_api {

using namespace api;
using access::right;
using content::package_ref;

namespace {

constexpr std::int64_t unknown_package_fault = 2300;
constexpr std::size_t page_max = 5'000;
constexpr std::size_t found_max = 50'000;

parameter package_parameter() {
    return argument("pid", content_number());
}

std::string file_name(const std::string& path) {
    const auto slash = path.rfind('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

value overview(const content::stored_package& package) {
    return value::record{
        {"id", std::int64_t{package.number}},
        {"name", package.what.name},
        {"summary", package.summary},
        {"description", package.summary},
        {"version", package.what.at.version},
        {"release", release_text(package.kind, package.what.at)},
        {"epoch", epoch_text(package.kind, package.what.at)},
        {"arch", content::arch_label(package.kind, package.what.arch)},
        {"provider", ""}};
}

}  // namespace

result<void> package_methods::declare(method_registry& registry) {
    const fault_codes codes{.not_found = unknown_package_fault};
    const auto add = [&](operation operation,
                         async<method_response> (package_methods::*body)(call)) {
        return registry.add({std::move(operation), handler(this, body), codes});
    };
    const auto list = list_of(anything());
    CHECK_OK(
        add(read_method("packages.getDetails", "Get a package", {package_parameter()}, anything()),
            &package_methods::get_details));
    CHECK_OK(
        add(read_method(
                "packages.listProvidingChannels",
                "List the channels of a package",
                {package_parameter()},
                list),
            &package_methods::list_channels));
    CHECK_OK(
        add(read_method(
                "packages.listProvidingErrata",
                "List the errata of a package",
                {package_parameter()},
                list),
            &package_methods::list_errata));
    std::vector<parameter> parameters;
    for (const char* const name : {"name", "version", "release", "epoch", "archLabel"})
        parameters.push_back(argument(name, text()));
    CHECK_OK(
        add(read_method(
                "packages.findByNvrea",
                "Find packages by name, version, release, epoch and architecture",
                parameters,
                list),
            &package_methods::find));
    CHECK_OK(
        add(change_method(
                "packages.removePackage",
                "Delete a package and remove it from its channels",
                {package_parameter()},
                right::common_edit),
            &package_methods::remove));
    const auto query_text = text(static_cast<std::int64_t>(package_query::text_bytes_max));
    CHECK_OK(
        add(read_method(
                "packages.search.advanced",
                "Search packages with a query",
                {argument("luceneQuery", query_text)},
                list),
            &package_methods::search_advanced));
    CHECK_OK(
        add(read_method(
                "packages.search.name",
                "Search packages by name",
                {argument("name", query_text)},
                list),
            &package_methods::search_name));
    return add(
        read_method(
            "packages.search.nameAndSummary",
            "Search packages by name or summary",
            {argument("query", query_text)},
            list),
        &package_methods::search_name_and_summary);
}

async<method_response> package_methods::get_details(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto package, content_.package(call.integer("pid")));
    CO_TRY(const auto row, co_await content_.store().read_package(package->number));
    value::list channels;
    for (const auto& channel : content_.store().all<content::channel>())
        if (packages::contains(channel->row.packages, package->number))
            channels.push_back(channel->label());
    const auto& details = row.details;
    co_return method_response{value::record{
        {"id", std::int64_t{package->number}},
        {"name", package->what.name},
        {"epoch", epoch_text(package->kind, package->what.at)},
        {"version", package->what.at.version},
        {"release", release_text(package->kind, package->what.at)},
        {"arch_label", content::arch_label(package->kind, package->what.arch)},
        {"providing_channels", std::move(channels)},
        {"build_host", details.build_host},
        {"description", details.description},
        {"checksum", package->checksum},
        {"checksum_type", package->checksum_type},
        {"vendor", details.vendor},
        {"summary", package->summary},
        {"cookie", ""},
        {"license", details.license},
        {"path", details.path},
        {"file", file_name(details.path)},
        {"build_date", date_text(details.built)},
        {"last_modified_date", date_text(package->changed)},
        {"size", std::to_string(details.size)},
        {"payload_size", std::to_string(details.installed_size)},
        {"part_of_retracted_patch", false}}};
}

async<method_response> package_methods::list_channels(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto package, content_.package(call.integer("pid")));
    value::list list;
    for (const auto& channel : content_.store().all<content::channel>()) {
        if (!packages::contains(channel->row.packages, package->number)) continue;
        list.push_back(value::record{
            {"label", channel->label()},
            {"parent_label", channel->parent},
            {"name", channel->name}});
    }
    co_return method_response{std::move(list)};
}

async<method_response> package_methods::list_errata(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto package, content_.package(call.integer("pid")));
    value::list list;
    for (const auto& erratum : content_.store().all<content::erratum>()) {
        if (!packages::contains(erratum->row.packages, package->number)) continue;
        list.push_back(value::record{
            {"advisory", erratum->name()},
            {"issue_date", date_text(erratum->issued)},
            {"last_modified_date", date_text(erratum->row.changed)},
            {"update_date", date_text(erratum->updated)},
            {"synopsis", erratum->synopsis},
            {"type", erratum->type}});
    }
    co_return method_response{std::move(list)};
}

async<method_response> package_methods::find(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    value::list list;
    for (const auto& package : content_.store().all_packages()) {
        const auto& spec = package->what;
        if (spec.name != call.text("name") || spec.at.version != call.text("version")) continue;
        if (release_text(package->kind, spec.at) != call.text("release")) continue;
        if (spec.at.epoch != call.text("epoch")) continue;
        if (content::arch_label(package->kind, spec.arch) == call.text("archLabel"))
            list.push_back(package_entry(*package));
    }
    co_return method_response{std::move(list)};
}

async<method_response> package_methods::remove(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto package, content_.package(call.integer("pid")));
    call.set_subject(package->what.name + " " + packages::to_string(package->what.at));
    CO_CHECK_OK(co_await content_.service().remove_package(package->number, call.caller().user));
    co_return method_response{1};
}

async<method_response> package_methods::search(package_query query) {
    CO_CHECK_OK(co_await content_.refresh());
    std::vector<package_ref> matches;
    std::size_t scanned = 0;
    for (auto& package : content_.store().all_packages()) {
        if (++scanned % page_max == 0) co_await fleet::yield_to_loop();
        if (!query.matches(*package)) continue;
        if (matches.size() == found_max)
            co_return fail(errc::invalid, "too many matching packages; narrow the search");
        matches.push_back(std::move(package));
    }
    co_return paged_list<package_ref>(
        std::move(matches), [](const package_ref& package) { return overview(*package); });
}

async<method_response> package_methods::search_advanced(call call) {
    CO_TRY(auto query, package_query::parse(call.text("luceneQuery")));
    co_return co_await search(std::move(query));
}

async<method_response> package_methods::search_name(call call) {
    CO_TRY(auto query, package_query::parse("name:\"*" + call.text("name") + "*\""));
    co_return co_await search(std::move(query));
}

async<method_response> package_methods::search_name_and_summary(call call) {
    CO_TRY(auto query, package_query::parse("\"" + call.text("query") + "\""));
    co_return co_await search(std::move(query));
}

}  // namespace muster::xmlrpc_api
