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
struct actor_scope;
}
namespace muster::net::http {
class event_writer;
}

namespace muster::api {

// One invocation of an operation: the caller, and arguments that match the declaration. Required
// arguments are present. Reading an undeclared argument is a programming error (assertion).
class call {
public:
    call(const api::operation& operation, api::caller caller, api::value arguments);

    const api::operation& operation() const { return *operation_; }
    const api::caller& caller() const { return caller_; }
    api_context& context() const { return *caller_.context; }
    const api::value& arguments() const { return arguments_; }

    const std::string& text(std::string_view name) const;
    std::int64_t integer(std::string_view name) const;
    bool flag(std::string_view name) const;  // false if absent
    std::optional<std::string> optional_text(std::string_view name) const;
    std::optional<std::int64_t> optional_integer(std::string_view name) const;
    std::optional<std::vector<std::string>> optional_texts(std::string_view name) const;
    // The body arguments, for code that reads nested values itself.
    json_body body() const;

    // Zones where the caller has the required right; nullopt: all zones.
    const std::optional<std::set<std::string>>& zones() const { return zones_; }
    bool may_in(std::string_view zone) const {
        return !zones_ || zones_->contains(std::string(zone));
    }
    void restrict_to(std::set<std::string> zones) { zones_ = std::move(zones); }
    // The caller as the author of changes of systems.
    lifecycle::actor_scope decider() const;

    // Restricts the call to the systems of one node; nullopt: any node.
    const std::optional<node_number>& node() const { return node_; }
    void restrict_to(node_number node) { node_ = node; }

    // Zones where the caller has another right; nullopt: all zones.
    std::optional<std::set<std::string>> zones_with(access::right right) const;

    // Subject of the audit entry. Default: the path arguments and the argument `name`.
    void set_subject(std::string text) const { note_->subject = std::move(text); }
    // The call fails although some of its changes are in force.
    void set_partly_done() const { note_->partly_done = true; }
    // The system that the call is about, if the arguments do not name it.
    void set_system(system_number system_number) const { note_->system = system_number; }
    struct audit_note {
        std::string subject;
        bool partly_done = false;
        std::optional<system_number> system = {};
    };
    std::shared_ptr<const audit_note> note() const { return note_; }

    // Last-Event-ID of a resumed stream; Idempotency-Key of a change; empty if not sent.
    std::string last_event;
    std::string idempotency_key;
    // ETag of the record version that the caller read (If-Match); empty if not sent.
    std::string if_match = {};
    bool wants_events = false;  // respond with progress events (SSE) instead of the result

    // Edit session of the call (common_data_interceptor.h); whether another server forwarded the
    // call; whether the call applies a change of a draft.
    std::string edit = {};
    bool forwarded = false;
    bool from_draft = false;

private:
    const api::value* find(std::string_view name) const;

    std::string default_subject() const;

    const api::operation* operation_;
    api::caller caller_;
    api::value arguments_;
    std::optional<std::set<std::string>> zones_;
    std::optional<node_number> node_;
    std::shared_ptr<audit_note>
        note_;  // shared: still read after the call was moved to its handler
};

// The response of an operation.
struct reply {
    boost::json::value content;
    net::http::field_list fields = {};    // in addition to the usual ones
    bool recorded = false;                // the handler wrote the audit entry
    std::optional<unsigned> status = {};  // if not the declared status
    std::function<async<void>(net::http::event_writer)> stream =
        nullptr;  // SSE instead of the content
    // A body that is not JSON, instead of the content.
    struct document {
        std::string media;
        std::string body;
    };
    std::optional<document> raw = {};
    std::string etag = {};  // of a read; empty: computed from the content
    // Nodes whose presence is not known. Set by the registry if the operation includes presence.
    std::vector<std::string> missing_nodes = {};
};

}  // namespace muster::api
