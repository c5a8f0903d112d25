#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace muster::ledger_postgres {

// The progress of the migration to one version, for the log.
struct migration_progress {
    enum class stage {
        waiting,  // for another server, which migrates this database at the moment
        begun,
        working,  // told now and then while it takes long
        done,
    };
    stage at = stage::begun;
    std::int64_t version = 0;
    std::string what;               // the migration's own sentence
    std::chrono::seconds taken{0};  // since this server asked for its turn
};

}  // namespace muster::ledger_postgres
