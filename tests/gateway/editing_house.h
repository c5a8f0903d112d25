#pragma once

// A gateway with operations that only count, where common data is edited.
#include "roles/gateway/common_changes.h"
#include "roles/gateway/leader_line.h"
#include "roles/gateway/registry.h"
#include "roles/revision/common_follower.h"
#include "tests/gateway/engine_room.h"
#include "tests/net/site.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace muster::gateway::test {

using namespace api;
using access::right;
inline access::permissions as(const char* role, const char* zone = "") {
    return access::permissions({{.role = role, .zone = zone}}, access::built_in_roles());
}

// Zones eu with de below it, and two users.
struct house : engine_room {
    people::roster_cell people;
    std::function<void()> rung;  // whoever carries drafts out
    front_desk entrance{time};
    std::shared_ptr<office> desk;
    registry all{time, {}};
    // Of a door with declarations of its own.
    operation elsewhere{
        .name = "channel.software.create",
        .summary = "x",
        .method = verb::post,
        .path = "/elsewhere",
        .takes = {in_body("label", name())},
        .needed = right::common_edit};
    operation_finder others = [this](std::string_view name, value given) {
        std::optional<found_operation> found;
        if (name == elsewhere.name && given.find("label") != nullptr)
            found = {
                .what = &elsewhere,
                .does = done_by(this, &house::do_it),
                .arguments = std::move(given)};
        return found;
    };
    leader_line line{
        {.all = all,
         .desk = entrance,
         .time = time,
         .tls =
             [] {
                 return result<std::shared_ptr<const net::tls_client>>(
                     net::http::test::client_tls({"http/1.1"}, net::http::test::server_identity()));
             },
         .others = others}};
    revision::leadership seat{
        {.store = *store, .time = time, .log = log}, {.server = "here", .address = "here:8443"}};
    revision::draft_desk drafts{*store, time, {}};
    common_changes gate{
        {.store = *store,
         .seat = seat,
         .desk = drafts,
         .line = line,
         .time = time,
         .log = log,
         .server = "here",
         .changed =
             [this] {
                 if (rung) rung();
             },
         .others = others}};
    revision::common_cell known;
    revision::common_follower follower{*store, time, known, log};
    int done = 0;
    std::optional<std::set<std::string>> zones_seen;

    house() : engine_room("common") {
        auto now = std::make_shared<cluster::topology>();
        now->zones["eu"] = {.name = "eu"};
        now->zones["de"] = {.name = "de", .parent = "eu"};
        places.publish(std::move(now));
        set_users({{"anna", "admin"}, {"ben", "admin"}});
        desk = std::make_shared<office>(
            surroundings_of(people), time, people::people_office::options());
        entrance.open(desk);
        all.guard_with(gate);
        declare("groups.put", right::groups_change, scope::cluster, {in_body("name", name())});
        declare("windows.assign", right::windows_change, scope::filtered, {});
        declare("systems.tag", right::systems_change, scope::filtered, {});
        declare(
            "accept-rules.add",
            right::keys_decide,
            scope::cluster,
            {in_body("name", name()), secret_in_body("activation_key", text())});
    }

    void set_users(std::map<std::string, std::string> roles, bool disabled = false) {
        people::records<people::user_record> users;
        for (const auto& [name, role] : roles)
            users[name] = {
                .record = {
                    .name = name, .grants = {{.role = role, .zone = ""}}, .disabled = disabled}};
        people::roster next;
        next.users = std::make_shared<const people::records<people::user_record>>(std::move(users));
        people.publish(std::make_shared<const people::roster>(std::move(next)));
    }

    void declare(const char* name, right needed, scope within, std::vector<parameter> takes) {
        REQUIRE(all.add(
                       {.name = name,
                        .summary = "x",
                        .method = verb::post,
                        .path = std::string("/") + name,
                        .takes = std::move(takes),
                        .needed = needed,
                        .within = within},
                       done_by(this, &house::do_it))
                    .has_value());
    }
    async<reply> do_it(call asked) {
        ++done;
        zones_seen = asked.zones();
        co_return reply{boost::json::object{{"ok", true}}};
    }

    struct how {
        std::string edit = {};
        std::string user = "anna";
        access::permissions may = as("admin");
    };
    call call_of(const char* name, value::record given, const how& asks) {
        const auto* which = all.find(name);
        REQUIRE(which != nullptr);
        return call_of(which->what, std::move(given), asks);
    }
    call call_of(const operation& what, value::record given, const how& asks) {
        visitor who;
        who.user = asks.user;
        who.may = asks.may;
        who.desk = desk;
        who.origin = "192.0.2.7";
        call asked(what, std::move(who), value(std::move(given)));
        asked.edit = asks.edit;
        return asked;
    }
    result<reply> ask(const char* name, value::record given, const how& asks) {
        auto asked = call_of(name, std::move(given), asks);
        return answer_of(all.perform(*all.find(name), std::move(asked)));
    }
    result<reply> put_group(const how& asks) { return ask("groups.put", {{"name", "web"}}, asks); }

    std::string begin(const std::string& user) {
        auto found = answer_of(seat.lead());
        REQUIRE(found.has_value());
        auto made = answer_of(drafts.begin(*found->own, user, ""));
        REQUIRE(made.has_value());
        return made->who.id;
    }
    revision::drafted_change only_change() {
        const auto changes = answer_of(drafts.changes());
        REQUIRE(changes.has_value());
        REQUIRE(changes->size() == 1);
        return changes->front();
    }
    result<void> carry_out(const revision::drafted_change& change) {
        return answer_of(gate.carry_out(change, &all, &entrance));
    }
};

}  // namespace muster::gateway::test
