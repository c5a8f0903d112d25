#include "services/people/people_follower.h"
#include "tests/fixtures/api/compat_values.h"

#include <algorithm>

namespace muster::xmlrpc_api {
namespace {

using namespace test;

// Users and roles as a server sees them that has just looked.
void look_again(xmlrpc_fixture& fixture) {
    people::people_snapshot now = *fixture.people.known.read();
    const auto read = [&](std::string_view prefix) {
        return run_sync(fixture.store->range({.prefix = std::string(prefix), .limit = 1'000}))
            .value()
            .entries;
    };
    auto users = std::make_shared<people::records<people::user_record>>();
    for (const auto& user : read(people::keys::users)) {
        auto record = people::decode_user(user.value).value();
        users->emplace(
            record.name, people::versioned<people::user_record>{record, user.modified, user.lease});
    }
    auto roles = std::make_shared<people::records<people::role_record>>();
    auto meanings = std::make_shared<access::roles>(access::built_in_roles());
    for (const auto& role : read(people::keys::roles)) {
        auto record = people::decode_role(role.value).value();
        meanings->emplace(record.name, record.rights);
        roles->emplace(
            record.name, people::versioned<people::role_record>{record, role.modified, role.lease});
    }
    now.users = std::move(users);
    now.roles = std::move(roles);
    now.role_rights = std::move(meanings);
    fixture.people.known.publish(std::make_shared<people::people_snapshot>(std::move(now)));
}

const char* const good_password = "correct horse battery";

TEST_CASE("a user is made, changed, given roles, disabled and removed") {
    xmlrpc_fixture site;
    const auto key = site.log_in();
    const auto ada = text("ada");
    const std::vector<std::string> desired{
        key, ada, text(good_password), text("Ada"), text("Lovelace"), text("ada@acme.org")};
    CHECK(site.call("user.create", desired).contains(done));
    auto weak = desired;
    weak[1] = text("bob");
    weak[2] = text("short");
    CHECK(site.call("user.create", weak).contains("fault"));
    look_again(site);
    CHECK(site.call("user.create", desired).contains("fault"));
    const auto details = structure(
        {{"last_name", text("King")}, {"email", text("a@acme.org")}, {"prefix", text("Ms.")}});
    CHECK(site.call("user.setDetails", {key, ada, details}).contains(done));
    look_again(site);
    const auto response = site.call("user.getDetails", {key, ada});
    CHECK(response.contains(named("first_name", "Ada")));
    CHECK(response.contains(named("last_name", "King")));
    CHECK(response.contains(named("email", "a@acme.org")));
    CHECK(response.contains(named("prefix", "Ms.")));
    CHECK(site.call("user.addRole", {key, ada, text("operator")}).contains(done));
    CHECK(site.call("user.addRole", {key, ada, text("nonsense")}).contains("fault"));
    look_again(site);
    CHECK(count(site.call("user.listRoles", {key, ada}), "<string>") == 2);
    CHECK(site.call("user.removeRole", {key, ada, text("operator")}).contains(done));
    look_again(site);
    CHECK(!site.call("user.listRoles", {key, ada}).contains("operator"));
    CHECK(site.call("user.disable", {key, ada}).contains(done));
    look_again(site);
    CHECK(site.call("user.getDetails", {key, ada}).contains(flagged("enabled", false)));
    CHECK(site.call("user.enable", {key, ada}).contains(done));
    CHECK(site.call("user.delete", {key, ada}).contains(done));
    look_again(site);
    CHECK(site.call("user.getDetails", {key, ada}).contains("user \"ada\" not found"));
    const auto trail = site.audited();
    CHECK(std::ranges::count(trail, "user.delete") == 1);
}

TEST_CASE("somebody who was made can log in at once, and may look but not change") {
    xmlrpc_fixture site;
    const auto key = site.log_in();
    site.call(
        "user.create", {key, text("ada"), text("correct horse"), text("A"), text("L"), text("")});
    look_again(site);
    const auto ada = site.log_in("ada");
    CHECK(count(site.call("system.listSystems", {ada}), "<struct>") == 4);
    CHECK(site.call("user.delete", {ada, text("admin")}).contains("people.change"));
    CHECK(site.call("org.listOrgs", {ada}).contains("people.read"));
}

TEST_CASE("groups of a user are kept and shown") {
    xmlrpc_fixture site;
    const auto key = site.log_in();
    site.add_user("ada", {{.role = "viewer", .zone = ""}});
    look_again(site);
    const auto ada = text("ada");
    site.call("systemgroup.create", {key, text("shop"), text("sells")});
    CHECK(site.call("user.addAssignedSystemGroups", {key, ada, texts({"shop"}), flag(true)})
              .contains(done));
    CHECK(site.call("user.addDefaultSystemGroups", {key, ada, texts({"no"})}).contains("fault"));
    CHECK(site.call("user.listAssignedSystemGroups", {key, ada}).contains(named("name", "shop")));
    CHECK(site.call("user.listDefaultSystemGroups", {key, ada}).contains(named("name", "shop")));
    CHECK(site.call("user.removeDefaultSystemGroups", {key, ada, texts({"shop"})}).contains(done));
    CHECK(count(site.call("user.listDefaultSystemGroups", {key, ada}), "<struct>") == 0);
    site.call("user.removeAssignedSystemGroups", {key, ada, texts({"shop"}), flag(true)});
    CHECK(count(site.call("user.listAssignedSystemGroups", {key, ada}), "<struct>") == 0);
}

TEST_CASE("roles are made of rights, which are given and taken by name") {
    xmlrpc_fixture site;
    const auto key = site.log_in();
    const auto label = text("packers");
    CHECK(site.call("access.createRole", {key, label, text("pack"), texts({"viewer"})})
              .contains(named("label", "packers")));
    look_again(site);
    CHECK(site.call("access.listRoles", {key}).contains(named("description", "pack")));
    CHECK(site.call("access.grantAccess", {key, label, texts({"jobs.run"})}).contains(done));
    look_again(site);
    CHECK(
        site.call("access.listPermissions", {key, label}).contains(named("namespace", "jobs.run")));
    CHECK(site.call("access.revokeAccess", {key, label, texts({"jobs.run"}), texts({"R"})})
              .contains(done));  // is no right to read
    look_again(site);
    CHECK(site.call("access.listPermissions", {key, label}).contains("jobs.run"));
    CHECK(site.call("access.revokeAccess", {key, label, texts({"jobs.run"})}).contains(done));
    look_again(site);
    CHECK(!site.call("access.listPermissions", {key, label}).contains("jobs.run"));
    CHECK(site.call("access.grantAccess", {key, label, texts({"none"})}).contains("fault"));
    CHECK(site.call("access.grantAccess", {key, text("admin"), texts({"jobs.run"})})
              .contains("fault"));
    CHECK(
        count(site.call("access.listNamespaces", {key}), "<struct>")
        == access::all_rights().size());
    CHECK(site.call("access.deleteRole", {key, label}).contains(done));
}

// What the topology's follower does.
void add_zone(xmlrpc_fixture& fixture, const std::string& name) {
    auto now = std::make_shared<cluster::topology>(*fixture.places.read());
    now->zones[name] = {.name = name};
    fixture.places.publish(std::move(now));
}

TEST_CASE("an organization is a zone under the root, with an admin of its own") {
    xmlrpc_fixture site;
    const auto key = site.log_in();
    const auto all = site.call("org.listOrgs", {key});
    CHECK(count(all, "<struct>") == 2);  // default and far
    CHECK(all.contains(named("name", "Muster")));
    CHECK(site.call("org.getDetails", {key, number(1)}).contains(counted("systems", 3)));
    CHECK(site.call("org.getDetails", {key, text("far")}).contains(counted("systems", 1)));
    CHECK(site.call("org.getDetails", {key, number(99)}).contains(fault_code(2850)));
    const auto result = site.call(
        "org.create",
        {key,
         text("Acme & Co"),
         text("boss"),
         text(good_password),
         text("Ms."),
         text("Ada"),
         text("L"),
         text(""),
         flag(false)});
    CHECK(result.contains("Acme &amp; Co"));
    add_zone(site, "Acme---Co");
    look_again(site);
    const auto response = site.call("org.getDetails", {key, text("Acme &amp; Co")});
    CHECK(response.contains(counted("active_users", 1)));
    const auto from = response.find("<name>id</name><value><i4>") + 26;
    const auto id = number(std::stoll(response.substr(from)));
    CHECK(site.call("org.listUsers", {key, id}).contains(named("login", "boss")));
    CHECK(site.call("org.updateName", {key, id, text("Acme")}).contains(named("name", "Acme")));
    const auto boss = site.call("user.getDetails", {key, text("boss")});
    CHECK(boss.contains(named("org_name", "Acme")));
    CHECK(boss.contains("<name>org_id</name><value>" + id));
    const auto admin = site.call("user.getDetails", {key, text("admin")});
    CHECK(admin.contains(named("org_name", "Muster")));
    CHECK(admin.contains(counted("org_id", 1)));
    CHECK(site.call("org.updateName", {key, id, text("Muster")}).contains(fault_code(2851)));
    CHECK(site.call("org.trusts.addTrust", {key, number(1), id}).contains(done));
    CHECK(count(site.call("org.trusts.listTrusts", {key, id}), flagged("trustEnabled", true)) == 1);
    CHECK(site.call("org.trusts.listOrgs", {key}).contains(named("org_name", "Acme")));
    CHECK(site.call("org.trusts.getDetails", {key, id}).contains("trusted_since"));
    CHECK(
        count(site.call("org.trusts.listSystemsAffected", {key, id, number(1)}), "<struct>") == 0);
    CHECK(site.call("org.trusts.removeTrust", {key, number(1), id}).contains(done));
    CHECK(site.call("org.trusts.getDetails", {key, id}).contains("fault"));
    CHECK(site.call("org.delete", {key, number(1)}).contains(fault_code(2851)));
    CHECK(site.call("org.delete", {key, id}).contains(done));
    CHECK(site.call(
                  "org.createFirst",
                  {text("Some"), text("a"), text("b"), text("c"), text("d"), text("e")})
              .contains(fault_code(2851)));
}

TEST_CASE("an organization whose admin cannot be made is not made") {
    xmlrpc_fixture site;
    const auto key = site.log_in();
    const auto result = site.call(
        "org.create",
        {key,
         text("Acme"),
         text("boss"),
         text("short"),
         text(""),
         text("A"),
         text("L"),
         text(""),
         flag(false)});
    CHECK(result.contains("fault"));
    CHECK(!run_sync(site.store->get("topology/zones/Acme")).value().found);
}

}  // namespace
}  // namespace muster::xmlrpc_api
