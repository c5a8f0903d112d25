#pragma once

#include "adapters/net/http/response.h"
#include "api/operations/api_context.h"
#include "api/operations/json_body.h"
#include "core/api/operation.h"
#include "core/model/node.h"
#include "core/model/system.h"

#include <boost/json/value.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace muster::lifecycle {
struct decider;
}
namespace muster::net::http {
class event_writer;
}

namespace muster::api {

// One operation being asked for: who asks, and the arguments, which fit its declaration. What the
// declaration requires is there; asking for an argument that it does not have is a mistake in the
// program.
class call {
public:
    call(const api::operation& operation, caller caller, api::value arguments);

    const api::operation& operation() const { return *what_; }
    const caller& who() const { return who_; }
    api_context& context() const { return *who_.context; }
    const api::value& arguments() const { return arguments_; }

    const std::string& text(std::string_view name) const;
    std::int64_t integer(std::string_view name) const;
    bool flag(std::string_view name) const;  // false when it was not given
    std::optional<std::string> optional_text(std::string_view name) const;
    std::optional<std::int64_t> optional_integer(std::string_view name) const;
    std::optional<std::vector<std::string>> optional_texts(std::string_view name) const;
    // Those that stand in the body, for what reads a nested one by itself.
    json_body body() const;

    // Where the caller has the right that the operation needs; nothing: in every zone.
    const std::optional<std::set<std::string>>& zones() const { return zones_; }
    bool may_in(std::string_view zone) const {
        return !zones_ || zones_->contains(std::string(zone));
    }
    void restrict_to(std::set<std::string> zones) { zones_ = std::move(zones); }
    // The caller, for whoever changes systems.
    lifecycle::decider decider() const;

    // Only the systems of one node are meant; nothing: whichever serves them.
    const std::optional<node_number>& node() const { return node_; }
    void restrict_to(node_number node) { node_ = node; }

    // Where the caller has another right; nothing: in every zone.
    std::optional<std::set<std::string>> zones_with(access::right right) const;

    // What this is about, for the audit trail: what stands in the path, or the argument `name`,
    // until whoever does it says it better.
    void set_subject(std::string text) const { note_->subject = std::move(text); }
    // It fails, and yet something of it is in force.
    void set_partly_done() const { note_->partly_done = true; }
    // The one system it is about, when its arguments do not name it.
    void set_system(system_number system_number) const { note_->system = system_number; }
    struct audit_note {
        std::string subject;
        bool partly_done = false;
        std::optional<system_number> system = {};
    };
    std::shared_ptr<const audit_note> note() const { return note_; }

    // Of a stream that is taken up again, and of a request that is sent again; empty otherwise.
    std::string last_event;
    std::string idempotency_key;
    // Of a change that is meant for a record as the caller saw it: its ETag; empty otherwise.
    std::string if_match = {};
    bool wants_events = false;  // progress as server-sent events, instead of the end

    // Of editing sessions (common_data_interceptor.h): the one this belongs to; whether another
    // server handed it on; whether it comes out of a draft that is being applied.
    std::string edit = {};
    bool forwarded = false;
    bool applied = false;

private:
    const api::value* find(std::string_view name) const;

    std::string named() const;

    const api::operation* what_;
    caller who_;
    api::value arguments_;
    std::optional<std::set<std::string>> zones_;
    std::optional<node_number> node_;
    std::shared_ptr<audit_note> note_;  // also after the call has gone to whoever does it
};

// What an operation answers.
struct reply {
    boost::json::value content;
    net::http::field_list fields = {};    // beside the usual ones
    bool recorded = false;                // the audit trail has it already
    std::optional<unsigned> status = {};  // if not the declared one
    std::function<async<void>(net::http::event_writer)> stream = nullptr;  // instead of the content
    // Instead of the content, something that is no JSON.
    struct document {
        std::string media;
        std::string body;
    };
    std::optional<document> other = {};
    std::string etag = {};  // of a reading; empty: that of its content
    // Of one that tells who is attached: the nodes of whom that is not known. The registry's.
    std::vector<std::string> missing_nodes = {};
};

}  // namespace muster::api
