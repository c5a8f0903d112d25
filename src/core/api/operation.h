#pragma once

#include "core/access/right.h"
#include "core/api/shape.h"

#include <optional>
#include <string>
#include <vector>

namespace muster::api {

enum class verb { get, put, post, patch, remove };

std::string_view to_string(verb method);  // "DELETE"

// Where an argument stands in a request over HTTP. XML-RPC and the JSON form know names only.
enum class place { path, query, body };

struct parameter {
    std::string name;
    place in = place::query;
    shape of;
    bool required = false;
    bool secret = false;  // is written down nowhere, not even in a draft
};

parameter in_path(std::string name, shape of);
parameter in_query(std::string name, shape of);
parameter in_body(std::string name, shape of);  // must be there
parameter optional_in_body(std::string name, shape of);
parameter secret_in_body(std::string name, shape of);  // may be there

// How an operation spans the cluster's nodes.
enum class span {
    local,      // any server answers from what it has
    by_system,  // the node that serves the system is asked
    merged,     // all are asked, and their answers are one; `failed` names those who gave none
    leader,     // the leader alone may do it
    all,        // every node takes it over, as part of a revision
};

std::string_view to_string(span over);  // "by-system"

// Which zones a caller must have the right in.
enum class scope {
    cluster,  // the whole cluster
    zone,     // the zone that the argument `zone` names
    system,   // the zone of the system that the argument `system` names
    node,     // the zone of the node that the argument `node` names
    filtered  // any: what is shown and touched lies where the caller may
};

std::string_view to_string(scope within);

// Whose data an operation changes, and so what editing sessions have to do with it
// (docs/revisions.md).
enum class sharing {
    own,    // a system's, or somebody's own: goes on, whoever edits
    draft,  // goes on, too, and may be part of a draft
    common  // all nodes': part of a draft, or by itself while nobody edits
};

std::string_view to_string(sharing what);

// One operation, declared once: routes, checks, rights, audit entries and documents come from here.
struct operation {
    std::string name;     // "groups.save": noun and verb; also what the audit trail calls it
    std::string summary;  // a sentence
    verb method = verb::get;
    std::string path;  // "/api/v1/groups/{name}"
    std::vector<parameter> takes;
    shape gives;
    unsigned status = 200;
    access::right needed = access::right::none;
    scope within = scope::cluster;
    span spans = span::local;
    // Who is attached is part of the answer: nodes of whom nothing is known are named along with it
    // (services/presence/missing_nodes.h).
    bool includes_presence = false;
    bool allowed_before_password_change =
        false;                  // also while the own password has to be changed first
    bool streams = false;       // answers with server-sent events
    bool read_only = false;     // a question too large for an address: POST, and yet a reading
    bool gives_secret = false;  // its answer is kept nowhere
    bool handles_idempotency =
        false;  // a request that is sent again it knows by its key, by itself
    std::int64_t body_bytes_max = std::int64_t{64} * 1024;
    sharing shares = sharing::own;

    bool changes() const { return method != verb::get && !read_only; }
    std::string_view noun() const;
};

// The system that arguments are about, if it is one alone, as whoever asks calls it: a number, a
// fingerprint or a name. By the names that operations and the compatible methods give it.
std::optional<std::string> system_named_in(const value& arguments);

// Whether the same request with the same key is one request (Idempotency-Key): what makes or starts
// something. The other verbs may be sent again by what they are.
bool takes_request_key(const operation& operation);
inline constexpr std::int64_t request_key_bytes_max = 255;
// Of fields that name a record as it was seen, or a session.
inline constexpr std::int64_t header_bytes_max = 1024;

// The arguments as one object, checked: all that are needed, none that is not known.
result<void> check_arguments(const operation& operation, const value& arguments);

// What is wrong with a declaration itself; for tests and the start of the server.
result<void> check_declaration(const operation& operation);

// The OpenAPI 3.1 document of these operations.
struct about {
    std::string title;
    std::string version;
    std::string description;
};
value openapi(const std::vector<operation>& all, const about& about);

}  // namespace muster::api
