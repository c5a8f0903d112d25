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

// What editors do with the draft, on the leader: each is one transaction on the record as it is,
// on condition that the leader still leads. A change is on record before it is acknowledged.
// errc::unavailable: this server no longer leads; ask again. Thread-safe.
class draft_service {
public:
    draft_service(
        muster::metastore& metastore,
        muster::clock& clock,
        editing_rules rules,
        namer names = random_name)
        : metastore_(metastore), clock_(clock), rules_(rules), names_(std::move(names)) {}

    using claim = edit_lock::claim;

    struct session {
        editor who;
        draft now;
    };

    const editing_rules& rules() const { return rules_; }

    async<session> begin(claim as, std::string user, std::string note);
    async<session> stay(claim as, std::string edit);
    // The last one who goes takes the leader with them.
    async<session> end(claim as, std::string edit);
    async<draft_change> add(claim as, draft_change change);
    async<void> drop(claim as, std::string edit, std::int64_t number);
    // How many changes there were.
    async<std::int64_t> discard(claim as, std::string edit);

    // From here on the keeper carries the draft out (applier.h).
    async<draft> begin_apply(claim as, application application);
    // Notes which change is being carried out next.
    async<draft> note_progress(claim as, application progress);

    // Ends the sessions of those who are not there any more; who that was.
    async<std::vector<editor>> send_idle_away(claim as);

    // The draft as it is.
    async<std::optional<draft>> look();
    // Its changes that are not in force yet, by number.
    async<std::vector<draft_change>> changes();

private:
    struct outcome {
        std::optional<draft> next;  // nothing: no draft any more
        std::vector<kv::operation> also = {};
        std::optional<kv::condition> on_condition = {};  // beside that the draft is as it was seen
        bool write = true;
        bool demote = false;
    };
    using step = std::function<result<outcome>(std::optional<draft> now)>;
    // The draft as it is afterwards, or was if nothing is left of it.
    async<draft> alter(claim as, step step);
    async<std::optional<draft>> try_to_alter(claim as, const step& step);
    async<std::optional<draft>> try_to_drop(claim as, std::string edit, std::int64_t number);

    metastore& metastore_;
    muster::clock& clock_;
    editing_rules rules_;
    namer names_;
};

}  // namespace muster::revision
