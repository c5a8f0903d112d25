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
#include <vector>

namespace muster::gateway::test {

struct staff {
    people::roster_cell known;  // stays empty: whoever asks is looked up
    std::string token = {};

    static void add(metastore& store, const std::string& name, std::vector<access::grant> grants) {
        const people::user_record user{
            .name = name,
            .password_hash = os::hash_password("correct horse").value(),
            .grants = std::move(grants)};
        kv::transaction add;
        add.then.push_back(kv::put{.key = people::keys::user(name), .value = people::encode(user)});
        REQUIRE(harness::answer_of(store.commit(add)).value().committed);
    }
    void add_admin(metastore& store) const { add(store, "admin", {{.role = "admin", .zone = ""}}); }

    // The token of a session.
    static std::string log_in(office& to, const std::string& name) {
        auto answer =
            harness::answer_of(to.people.entrance.login({name, "correct horse", "192.0.2.7"}));
        return std::get<people::gate::opened_session>(answer.value()).secret;
    }

    // An office for this gateway, with the admin logged in.
    std::shared_ptr<office> open(office::surroundings given, clock& time) {
        add_admin(given.engines.metadata);
        auto opened =
            std::make_shared<office>(std::move(given), time, people::people_office::options());
        token = log_in(*opened, "admin");
        return opened;
    }
};

}  // namespace muster::gateway::test
