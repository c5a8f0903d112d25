// Nothing of the compatible API is open that is not declared open.

#include "tests/fixtures/api/compat_site.h"

#include <set>

namespace muster::xmlrpc_api {
namespace {

using namespace test;
using access::right;

api::visitor who_may(const compat_site& site, const access::rights& some) {
    api::visitor made{people::identity{.user = "somebody"}, site.office, "192.0.2.7"};
    made.may = access::permissions({{.role = "some", .zone = ""}}, access::roles{{"some", some}});
    return made;
}

std::set<std::string> needing(const compat_site& site, right what) {
    std::set<std::string> names;
    for (const auto& [name, ways] : site.api.methods().all()) {
        for (const auto* each : ways) {
            if (each->what.needed == what) names.insert(name);
        }
    }
    return names;
}

TEST_CASE("only what lets people in, and what says which methods there are, is open to all") {
    const compat_site site;
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
    const compat_site site;
    const auto all = access::all_rights();
    std::size_t refused = 0;
    for (const auto& [name, ways] : site.api.methods().all()) {
        for (const auto* each : ways) {
            if (each->what.needed == right::none || each->what.needed == right::self) continue;
            access::rights others(all.begin(), all.end());
            others.erase(each->what.needed);
            api::call asked(
                each->what, who_may(site, others), api::value(api::value::record()));
            const auto given = answer_of(site.api.methods().perform(*each, std::move(asked)));
            CAPTURE(name);
            REQUIRE(!given.has_value());
            CHECK(given.error().code() == errc::denied);
            CHECK(given.error().detail().contains(access::to_string(each->what.needed)));
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
    const compat_site site;
    for (const auto& [name, ways] : site.api.methods().all()) {
        for (const auto* each : ways) {
            const auto needed = each->what.needed;
            const bool reads = needed == right::none || needed == right::fleet_read
                               || needed == right::people_read || needed == right::jobs_read
                               || needed == right::topology_read
                               || name == "user.listAssignableRoles" || reads_keys(name);
            CAPTURE(name);
            CHECK(each->what.changes() == !reads);
        }
    }
}

}  // namespace
}  // namespace muster::xmlrpc_api
