#pragma once

#include "ports/clock.h"
#include "ports/metastore.h"
#include "services/revision/edit_lock.h"
#include "services/revision/random_id.h"
#include "services/revision/record.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::revision {

// Use cases of editors on the draft, on the leader. Each is one transaction on the current record,
// on condition that this server still leads. A change is written before it is acknowledged.
// errc::unavailable: this server no longer leads; retry. Thread-safe.
class draft_service {
public:
    draft_service(
        muster::metastore& metastore,
        muster::clock& clock,
        editing_rules rules,
        id_generator names = random_id)
        : metastore_(metastore), clock_(clock), rules_(rules), new_id_(std::move(names)) {}

    using claim = edit_lock::claim;

    struct session {
        revision::editor editor;
        revision::draft draft;
    };

    const editing_rules& rules() const { return rules_; }

    async<session> begin(claim own_claim, std::string user, std::string note);
    // Keeps the session alive.
    async<session> keep_alive(claim own_claim, std::string edit);
    // The end of the last session also releases the lock.
    async<session> end(claim own_claim, std::string edit);
    async<draft_change> add(claim own_claim, draft_change change);
    async<void> drop(claim own_claim, std::string edit, std::int64_t number);
    // Returns the number of discarded changes.
    async<std::int64_t> discard(claim own_claim, std::string edit);

    // Marks the draft; the reconciler then applies it (applier.h).
    async<draft> begin_apply(claim own_claim, application application);
    // Records which change is applied next.
    async<draft> record_progress(claim own_claim, application progress);

    // Ends idle sessions and returns their editors.
    async<std::vector<editor>> end_idle_sessions(claim own_claim);

    // Reads the draft.
    async<std::optional<draft>> read_draft();
    // Reads the changes that are not in force yet, by number.
    async<std::vector<draft_change>> changes();

private:
    struct draft_update {
        std::optional<draft> next;  // empty: the draft is deleted
        std::vector<kv::operation> operations = {};
        std::optional<kv::condition> condition = {};  // besides the unchanged draft
        bool write = true;
        bool release_lock = false;
    };
    using update_step = std::function<result<draft_update>(std::optional<draft> before)>;
    // Returns the draft after the update, or before it if the draft was deleted.
    async<draft> update(claim own_claim, update_step step);
    async<std::optional<draft>> try_to_update(claim own_claim, const update_step& step);
    async<std::optional<draft>> try_to_drop(claim own_claim, std::string edit, std::int64_t number);

    metastore& metastore_;
    muster::clock& clock_;
    editing_rules rules_;
    id_generator new_id_;
};

}  // namespace muster::revision
