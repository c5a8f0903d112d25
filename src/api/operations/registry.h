#pragma once

#include "api/operations/call.h"
#include "api/operations/common_data_interceptor.h"
#include "api/operations/system_directory.h"

#include <deque>
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
    struct entry {
        api::operation what;
        action does;
        std::vector<const entry*> related = {};  // readings of what lies below this object
    };

    // `systems` must outlive it; null: no system is known.
    explicit registry(muster::clock& clock, const system_directory* systems = nullptr)
        : clock_(clock), systems_(systems) {}

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

    muster::clock& clock_;
    const system_directory* systems_;
    common_data_interceptor* gate_ = nullptr;
    std::deque<entry> all_;
};

}  // namespace muster::api
