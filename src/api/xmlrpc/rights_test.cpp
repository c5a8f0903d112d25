// Nothing of the compatible API is open that is not declared open.

#include "tests/fixtures/api/xmlrpc_fixture.h"

#include <set>

namespace muster::xmlrpc_api {
namespace {

using namespace test;
using access::right;

api::caller who_may(const xmlrpc_fixture& fixture, const access::rights& some) {
    api::caller caller{people::identity{.user = "somebody"}, fixture.api_context, "192.0.2.7"};
    caller.may = access::permissions({{.role = "some", .zone = ""}}, access::roles{{"some", some}});
    return caller;
}

std::set<std::string> needing(const xmlrpc_fixture& fixture, right right) {
    std::set<std::string> names;
    for (const auto& [name, ways] : fixture.api.methods().all()) {
        for (const auto* way : ways) {
            if (way->operation.needed == right) names.insert(name);
        }
    }
    return names;
}

TEST_CASE("only what lets people in, and what says which methods there are, is open to all") {
    const xmlrpc_fixture site;
    CHECK(
        needing(site, right::none)
        == std::set<std::string>{
            "api.getApiCallList",
            "api.getApiNamespaceCallList",
            "api.getApiNamespaces",
            "api.getVersion",
            "api.productName",
            "api.systemVersion",
            "auth.isSessionKeyValid",
            "auth.login",
            "hub.login",
            "hub.loginWithAuthRelayMode",
            "hub.loginWithAutoconnectMode",
            "org.createFirst"});
    CHECK(
        needing(site, right::self)
        == std::set<std::string>{"auth.logout", "hub.logout", "user.listAssignableRoles"});
}

TEST_CASE("every method refuses whoever has all rights but the one it needs") {
    const xmlrpc_fixture site;
    const auto all = access::all_rights();
    std::size_t refused = 0;
    for (const auto& [name, ways] : site.api.methods().all()) {
        for (const auto* way : ways) {
            if (way->operation.needed == right::none || way->operation.needed == right::self)
                continue;
            access::rights others(all.begin(), all.end());
            others.erase(way->operation.needed);
            api::call call(way->operation, who_may(site, others), api::value(api::value::record()));
            const auto input = run_sync(site.api.methods().perform(*way, std::move(call)));
            CAPTURE(name);
            REQUIRE(!input.has_value());
            CHECK(input.error().code() == errc::denied);
            CHECK(input.error().detail().contains(access::to_string(way->operation.needed)));
            ++refused;
        }
    }
    CHECK(refused >= 25);
}

// Whoever knows an activation key brings systems in, so reading one needs the right to decide.
bool reads_keys(const std::string& name) {
    return name.starts_with("activationkey.list") || name == "activationkey.getDetails"
           || name == "activationkey.checkConfigDeployment";
}

TEST_CASE("a method that changes something is written down, and its JSON form is no GET") {
    const xmlrpc_fixture site;
    for (const auto& [name, ways] : site.api.methods().all()) {
        for (const auto* way : ways) {
            const auto needed = way->operation.needed;
            const bool reads = needed == right::none || needed == right::fleet_read
                               || needed == right::people_read || needed == right::jobs_read
                               || needed == right::topology_read
                               || name == "user.listAssignableRoles" || reads_keys(name);
            CAPTURE(name);
            CHECK(way->operation.changes() == !reads);
        }
    }
}

}  // namespace
}  // namespace muster::xmlrpc_api
