#pragma once

#include "base/result.h"
#include "base/time.h"
#include "core/revision/draft.h"
#include "core/revision/section.h"
#include "core/revision/sync_state.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::revision {

// JSON records under common/ in the metastore.

struct leader_record {
    enum class purpose {
        edit,  // leads while there are edit sessions
        turn,  // holds the lock for one change or publication
    };

    std::string server;
    std::string address;
    purpose kind = purpose::edit;
    std::string user = {};  // of a turn
    std::int64_t term = 0;  // of a leader; increases with each leader
    std::string id;         // unique
    wall_time since;

    friend bool operator==(const leader_record&, const leader_record&) = default;
};

// One change of a draft: a checked API operation that is not executed yet.
struct draft_change {
    std::int64_t number = 0;
    std::string operation;
    std::string section = {};  // of the changed object, if known
    std::string name = {};
    std::string arguments;  // a JSON object
    std::string by;
    // Permissions of the author as JSON: a token may have fewer than its user.
    std::string may = {};
    std::string edit;
    wall_time at;

    friend bool operator==(const draft_change&, const draft_change&) = default;
};

// A published revision without its content.
struct revision_record {
    std::int64_t number = 0;
    std::string digest;
    std::int64_t form = 0;  // section format (source.h)
    std::string kind;       // first, applied, partial, direct, found
    wall_time made;
    std::string made_by = {};
    std::string note = {};
    std::int64_t changes = 0;
    std::string draft = {};  // the draft it was, if any
    digests sections;

    friend bool operator==(const revision_record&, const revision_record&) = default;
};

// A change without a draft.
struct direct_change {
    std::string by;
    std::string operation;
    std::string subject;
    wall_time at;

    friend bool operator==(const direct_change&, const direct_change&) = default;
};

std::string encode(const leader_record& leader);
std::string encode(const draft& draft);
std::string encode(const draft_change& draft_change);
std::string encode(const revision_record& revision);
std::string encode(const direct_change& direct_change);
std::string encode(const held_digests& held_digests);

// errc::corrupt for invalid records.
result<leader_record> decode_leader(std::string_view text);
result<draft> decode_draft(std::string_view text);
result<draft_change> decode_change(std::string_view text);
result<revision_record> decode_revision(std::string_view text);
result<direct_change> decode_note(std::string_view text);
result<held_digests> decode_holding(std::string_view text);

// The changes of a revision as a JSON array.
std::string encode_entries(const std::vector<direct_change>& changes);
result<std::vector<direct_change>> decode_entries(std::string_view text);

}  // namespace muster::revision
