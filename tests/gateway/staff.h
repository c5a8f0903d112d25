#pragma once

// The people of a gateway that stands alone: an admin, who is logged in.
#include "adapters/os/password.h"
#include "roles/gateway/office.h"
#include "roles/people/keys.h"
#include "roles/people/record.h"
#include "tests/harness/answer_of.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace muster::gateway::test {

struct staff {
    people::roster_cell known;  // stays empty: whoever asks is looked up
    std::string token = {};

    void add_admin(metastore& store) const {
        const people::user_record admin{
            .name = "admin",
            .password_hash = os::hash_password("correct horse").value(),
            .grants = {{.role = "admin", .zone = ""}}};
        kv::transaction add;
        add.then.push_back(
            kv::put{.key = people::keys::user("admin"), .value = people::encode(admin)});
        REQUIRE(harness::answer_of(store.commit(add)).value().committed);
    }

    // An office for this gateway, with the admin logged in.
    std::shared_ptr<office> open(office::surroundings given, clock& time) {
        add_admin(given.engines.metadata);
        auto opened =
            std::make_shared<office>(std::move(given), time, people::people_office::options());
        auto answer = harness::answer_of(
            opened->people.entrance.login({"admin", "correct horse", "192.0.2.7"}));
        token = std::get<people::gate::opened_session>(answer.value()).secret;
        return opened;
    }
};

}  // namespace muster::gateway::test
