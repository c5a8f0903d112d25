#pragma once

#include "api/operations/call.h"
#include "api/operations/common_data_interceptor.h"
#include "services/presence/missing_nodes.h"

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::api {

// A method of `who`, which must outlive the registry.
template <class Api>
action done_by(Api* who, async<reply> (Api::*method)(call)) {
    return [who, method](call call) {
        return (who->*method)(std::move(call));
    };
}

// All operations of the API, each declared once: what it takes and gives, who may ask for it where,
// and what does it. Every door (REST, XML-RPC) goes through perform(), so none can forget a check
// or an entry in the audit trail.
class registry {
public:
    struct dependencies {
        // The zone of the system that people call so, by number, fingerprint or name.
        std::function<std::optional<std::string>(std::string_view system)> zone_of_system =
            [](std::string_view) {
                return std::optional<std::string>();
            };
        // Its number, for the audit trail.
        std::function<std::optional<system_number>(std::string_view system)> number_of_system =
            [](std::string_view) {
                return std::optional<system_number>();
            };
        // The nodes of whom is not known here who is attached to them.
        std::function<std::vector<presence::missing_node>()> missing_nodes = [] {
            return std::vector<presence::missing_node>();
        };
    };
    struct entry {
        api::operation what;
        action does;
        std::vector<const entry*> related = {};  // readings of what lies below this object
    };

    registry(clock& time, dependencies deps) : time_(time), given_(std::move(deps)) {}

    // From now on it is asked before common data is changed. It must outlive the registry's work.
    void guard_with(common_data_interceptor& gate) { gate_ = &gate; }

    // Refuses a declaration that contradicts itself, and a name or a method and path that is taken.
    result<void> add(api::operation operation, action does);

    // Once all are there: finds what lies below what, and declares how it is asked for along with
    // it (api::with_related).
    void relate();

    // In the order of adding; they stay where they are.
    const std::deque<entry>& all() const { return all_; }
    const entry* find(std::string_view name) const;

    // Checks the arguments and the caller's rights, does it, and writes down what was changed.
    // errc::forbidden names the right that is missing.
    async<reply> perform(const entry& entry, call call) const {
        return perform(entry.what, entry.does, std::move(call));
    }
    // The same for a door with declarations of its own. Both must outlive the work.
    async<reply> perform(const api::operation& operation, const action& does, call call) const;

private:
    static result<void> check_right(const call& call);
    // Narrows the call to where the right holds, or refuses it.
    result<void> check_zone(call& call) const;
    result<std::string> zone_meant(const call& call) const;
    // With the nodes whose part is missing in what is told of who is attached.
    async<reply> read(const api::operation& operation, const action& does, call call) const;
    // What a call changes is what its caller saw (precondition.h), and is done once however often
    // it is sent (idempotency_store.h).
    async<reply> carry_out(const api::operation& operation, const action& does, call call) const;
    async<reply> carry_out_once(
        const api::operation& operation, const action& does, call call) const;
    async<reply> pass_gate(const api::operation& operation, const action& does, call call) const;
    async<void> record(
        caller caller, std::string text, call::audit_note about, result<void> outcome) const;

    clock& time_;
    dependencies given_;
    common_data_interceptor* gate_ = nullptr;
    std::deque<entry> all_;
};

}  // namespace muster::api
