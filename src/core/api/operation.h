#pragma once

#include "core/access/right.h"
#include "core/api/shape.h"

#include <optional>
#include <string>
#include <vector>

namespace muster::api {

enum class verb { get, put, post, patch, remove };

std::string_view to_string(verb method);  // "DELETE"

// Where an argument is in an HTTP request. XML-RPC and its JSON form use only names.
enum class place { path, query, body };

struct parameter {
    std::string name;
    place in = place::query;
    shape of;
    bool required = false;
    bool secret = false;  // never stored, not even in a draft
};

parameter in_path(std::string name, shape schema);
parameter in_query(std::string name, shape schema);
parameter in_body(std::string name, shape schema);  // required
parameter optional_in_body(std::string name, shape schema);
parameter secret_in_body(std::string name, shape schema);  // optional

// Which servers answer an operation.
enum class span {
    local,      // any server answers from its own data
    by_system,  // the node that serves the system answers
    merged,     // all servers answer and the results are merged; `failed` names servers without an
                // answer
    leader,     // only the leader answers
    all,        // every node applies it, as part of a revision
};

std::string_view to_string(span value);  // "by-system"

// Which zones a caller must have the right in.
enum class scope {
    cluster,  // the whole cluster
    zone,     // the zone that the argument `zone` names
    system,   // the zone of the system that the argument `system` names
    node,     // the zone of the node that the argument `node` names
    filtered  // any zone: results and changes are limited to the caller's zones
};

std::string_view to_string(scope value);

// Whose data an operation changes, and how it relates to edit sessions (docs/concepts/drafts.md).
enum class sharing {
    own,    // data of a system or of the caller: always allowed
    draft,  // always allowed, and may be part of a draft
    common  // common data: part of a draft, or directly while no edit session is open
};

std::string_view to_string(sharing value);

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
    // The response contains presence, and names the nodes whose presence is unknown
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

// The single system that the arguments name, as the caller wrote it: a number, a fingerprint or a
// name. Knows the argument names of operations and of compatible methods.
std::optional<std::string> system_named_in(const value& arguments);

// Whether the operation accepts an Idempotency-Key: it creates or starts something. Other methods
// are idempotent by themselves.
bool takes_request_key(const operation& operation);
inline constexpr std::int64_t request_key_bytes_max = 255;
// Of header fields that name a record version or a session.
inline constexpr std::int64_t header_bytes_max = 1024;

// Checks the arguments, given as one object: no required one missing, no unknown one.
result<void> check_arguments(const operation& operation, const value& arguments);

// Checks a declaration; for tests and the start of the server.
result<void> check_declaration(const operation& operation);

// The OpenAPI 3.1 document of these operations.
struct about {
    std::string title;
    std::string version;
    std::string description;
};
value openapi(const std::vector<operation>& all, const about& about);

}  // namespace muster::api
