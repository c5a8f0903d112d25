#pragma once

#include "ports/clock.h"
#include "ports/ledger.h"
#include "runtime/following/table_follower.h"
#include "runtime/log.h"
#include "services/configuration/record.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::configuration {

// Reads and writes small configuration records; follows the ledger and caches them. Thread-safe
// except for run() and reload().
class config_record_store {
public:
    using records = std::map<std::string, record, std::less<>>;  // by name

    config_record_store(muster::ledger& ledger, muster::clock& clock, runtime::logger& log);
    config_record_store(const config_record_store&) = delete;
    config_record_store& operator=(const config_record_store&) = delete;

    // Follows the records until it is cancelled.
    boost::asio::awaitable<void> run() {
        return rows_.run([this] { return refresh(); });
    }
    // Reads all new rows.
    async<void> refresh();
    // Discards the cache and reads everything. Call on the strand of run().
    async<void> reload();
    // Whether everything was read once.
    bool complete() const;

    // The cached records of a kind, without removed ones.
    std::shared_ptr<const records> all_of(std::string_view kind) const;
    std::optional<record> find(std::string_view kind, std::string_view name) const;

    // Reads the record from the ledger. An empty document means that it does not exist.
    async<record> read(std::string kind, std::string name) const {
        return read_row(std::move(kind), std::move(name));
    }

    // Maps the current document (null: none) to the new one. An empty document removes the record;
    // nullopt leaves it as it is. Called again after a concurrent change.
    using decision = std::function<result<std::optional<std::string>>(const std::string* document)>;
    struct record_change {
        std::string kind;
        std::string name;
        std::string by;
    };
    // Returns the record after the change.
    async<record> alter(record_change target, decision decide);

    void export_to(runtime::metrics& metrics) const { rows_.rows().export_to(metrics); }

private:
    async<record> read_row(std::string kind, std::string name) const;
    void apply(const std::vector<record>& rows);
    std::size_t count(std::string_view kind) const;

    ledger& ledger_;
    muster::clock& clock_;
    mutable std::mutex mutex_;
    const std::shared_ptr<const records> none_ = std::make_shared<const records>();
    std::map<std::string, std::shared_ptr<const records>, std::less<>> current_;
    using version_map = std::map<std::pair<std::string, std::string>, std::int64_t>;
    version_map versions_;  // removed ones, too
    bool complete_ = false;
    runtime::table_follower<record> rows_;
};

}  // namespace muster::configuration
