// Which methods change common data: each that changes something of what channels, groups, keys and
// recurring actions are is a row of the table, or is named here with why it is none.

#include "core/revision/common_operations.h"
#include "tests/fixtures/api/xmlrpc_fixture.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace muster::xmlrpc_api {
namespace {

using namespace test;

using names = std::set<std::string>;

// What a channel holds comes by its repositories, and may change while somebody edits.
const names of_contents{
    "channel.software.addPackages",
    "channel.software.mergeErrata",
    "channel.software.mergePackages",
    "channel.software.removeErrata",
    "channel.software.removePackages",
    "errata.clone",
    "errata.cloneAsOriginal",
    "errata.delete",
    "errata.publish",
    "packages.removePackage"};
// Also says when a channel is brought up by itself; who asks for it now must not wait for editors.
const names of_syncs{"channel.software.syncRepo"};
const names without_effect{
    "channel.access.setOrgSharing",
    "channel.org.disableAccess",
    "channel.org.enableAccess",
    "channel.software.regenerateNeededCache",
    "channel.software.regenerateYumCache"};
// Kept with revisions of their own in the ledger, and by no server in memory.
const names of_files{
    "configchannel.createOrUpdatePath",
    "configchannel.createOrUpdateSymlink",
    "configchannel.deleteFiles",
    "configchannel.updateInitSls"};
const names of_systems{
    "configchannel.deployAllSystems",
    "configchannel.scheduleFileComparisons",
    "systemgroup.addOrRemoveSystems"};
// Work in its maker's name, which must be stopped at any time.
const names of_schedules{
    "recurring.custom.create",
    "recurring.custom.update",
    "recurring.delete",
    "recurring.highstate.create",
    "recurring.highstate.update",
    "recurring.playbook.create",
    "recurring.playbook.update"};

constexpr std::array namespaces{
    "access.",
    "activationkey.",
    "channel.",
    "configchannel.",
    "errata.",
    "packages.",
    "recurring.",
    "system.custominfo.",
    "systemgroup."};

bool is_looked_at(const std::string& method) {
    return std::ranges::any_of(
        namespaces, [&](const char* name) { return method.starts_with(name); });
}

TEST_CASE(
    "every method that changes channels, groups, keys or recurring actions is common or not "
    "for a reason") {
    const xmlrpc_fixture fixture;
    names expected;
    for (const auto* some :
         {&of_contents, &of_syncs, &without_effect, &of_files, &of_systems, &of_schedules})
        expected.insert(some->begin(), some->end());

    names own;
    std::map<std::string, int> common;
    for (const auto& [name, ways] : fixture.api.methods().all()) {
        const bool changes = std::ranges::any_of(
            ways, [](const method* method) { return method->operation.changes(); });
        if (!changes || !is_looked_at(name)) continue;
        if (revision::sharing_of(name) == api::sharing::own)
            own.insert(name);
        else
            ++common[std::string(revision::item_of(name).section)];
    }

    CHECK(own == expected);
    CHECK(common["channels"] == 6);
    CHECK(common["repositories"] == 3);
    CHECK(common["config-channels"] == 3);
    CHECK(common["group-config"] == 2);
    CHECK(common["custom-keys"] == 3);
    CHECK(common["groups"] == 3);
}

TEST_CASE("what names the item of a change is an argument of the method") {
    const xmlrpc_fixture fixture;
    for (const auto& [name, ways] : fixture.api.methods().all()) {
        const auto item = revision::item_of(name);
        if (item.named_by.empty() || !is_looked_at(name)) continue;
        CAPTURE(name);
        CHECK(std::ranges::any_of(ways, [&](const method* method) {
            const auto& takes = method->operation.takes;
            return std::ranges::find(takes, item.named_by, &api::parameter::name) != takes.end();
        }));
    }
}

}  // namespace
}  // namespace muster::xmlrpc_api
