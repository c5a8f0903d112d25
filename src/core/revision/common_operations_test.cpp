#include "core/revision/common_operations.h"

#include <doctest/doctest.h>

namespace muster::revision {
namespace {

using access::right;
using api::sharing;

TEST_CASE("what changes all nodes' data is common, by each door's name for it") {
    CHECK(sharing_of("groups.replace") == sharing::common);
    CHECK(sharing_of("systemgroup.create") == sharing::common);
    CHECK(sharing_of("activationkey.setDetails") == sharing::common);
    CHECK(sharing_of("channel.software.create") == sharing::common);
    CHECK(sharing_of("configchannel.update") == sharing::common);
    CHECK(sharing_of("system.custominfo.deleteKey") == sharing::common);
    CHECK(sharing_of("windows.assign") == sharing::draft);
    // What a channel holds, what is a system's and what runs again and again goes on.
    CHECK(sharing_of("channel.software.syncRepo") == sharing::own);
    CHECK(sharing_of("system.setCustomValues") == sharing::own);
    CHECK(sharing_of("schedules.change") == sharing::own);
    CHECK(sharing_of("systems.label") == sharing::own);
    CHECK(sharing_of("activationkeys.list") == sharing::own);
    CHECK(sharing_of("") == sharing::own);
}

TEST_CASE("what an operation is about is a section and the argument that names the item") {
    CHECK(item_of("roles.change").section == "roles");
    CHECK(item_of("roles.change").named_by == "role");
    // Which key it is stays between those who may know it.
    CHECK(item_of("activationkey.create").section == "accept-rules");
    CHECK(item_of("activationkey.create").named_by.empty());
    CHECK(item_of("channel.software.associateRepo").section == "channels");
    CHECK(item_of("channel.software.associateRepo").named_by == "channelLabel");
    CHECK(item_of("jobs.create").section.empty());
}

TEST_CASE("a section of a revision needs what its own list needs, and an unknown one the most") {
    CHECK(right_to_read("groups") == right::fleet_read);
    CHECK(right_to_read("channels") == right::fleet_read);
    CHECK(right_to_read("roles") == right::people_read);
    CHECK(right_to_read("something new") == right::common_apply);
}

}  // namespace
}  // namespace muster::revision
