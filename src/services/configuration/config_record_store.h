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

// The small records of the cluster, followed into memory. Thread-safe but for run().
class config_record_store {
public:
    using records = std::map<std::string, record, std::less<>>;  // by name

    config_record_store(muster::ledger& ledger, muster::clock& clock, runtime::logger& log);
    config_record_store(const config_record_store&) = delete;
    config_record_store& operator=(const config_record_store&) = delete;

    // Follows the records until it is cancelled.
    boost::asio::awaitable<void> run() {
        return rows_.run([this] { return catch_up(); });
    }
    // Reads what is new now.
    async<void> catch_up();
    // Forgets what is in memory and reads everything. On the strand of run().
    async<void> read_anew();
    // Whether everything was read once.
    bool complete() const;

    // Those of a kind as they were a moment ago; removed ones are not in it.
    std::shared_ptr<const records> of(std::string_view kind) const;
    std::optional<record> find(std::string_view kind, std::string_view name) const;

    // As it is in the ledger now. Without a document: there is none.
    async<record> read(std::string kind, std::string name) const {
        return look_up(std::move(kind), std::move(name));
    }

    // The document to write in place of the one that is there (null: there is none); an empty one
    // removes it, nothing leaves all as it is. Called again when somebody else was faster.
    using decision = std::function<result<std::optional<std::string>>(const std::string* document)>;
    struct record_change {
        std::string kind;
        std::string name;
        std::string by;
    };
    // The record as it stands then.
    async<record> alter(record_change record_change, decision decide);

    void export_to(runtime::metrics& to) const { rows_.rows().export_to(to); }

private:
    async<record> look_up(std::string kind, std::string name) const;
    void apply(const std::vector<record>& rows);
    std::size_t count(std::string_view kind) const;

    ledger& ledger_;
    muster::clock& clock_;
    mutable std::mutex guard_;
    const std::shared_ptr<const records> none_ = std::make_shared<const records>();
    std::map<std::string, std::shared_ptr<const records>, std::less<>> current_;
    using version_map = std::map<std::pair<std::string, std::string>, std::int64_t>;
    version_map versions_;  // removed ones, too
    bool complete_ = false;
    runtime::table_follower<record> rows_;
};

}  // namespace muster::configuration
