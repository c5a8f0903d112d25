#pragma once

#include "ports/ledger.h"
#include "sim/workloads/workload.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace muster::sim {

// Writers write batches of two rows into a sequenced table; followers read behind the sequence they
// have seen. A follower misses no row, sees sequences only grow, and sees a batch whole; what was
// acknowledged is there in the end.
class records final : public workload {
public:
    struct options {
        std::int64_t writers = 3;
        std::int64_t followers = 2;
        std::chrono::milliseconds think{500};
    };

    explicit records(options options) : options_(options) {}

    std::set<engine_kind> needs() const override { return {engine_kind::ledger}; }
    void start(sim::cluster& cluster) override;
    boost::asio::awaitable<void> check_at_end(process& checker) override;
    std::string summary() const override;

private:
    using row_name = std::pair<std::string, std::int64_t>;  // who wrote it, and its number
    struct follower_view {
        std::int64_t up_to = 0;
        std::set<row_name> seen;
    };

    boost::asio::awaitable<void> write(process& self, std::shared_ptr<muster::ledger> ledger);
    boost::asio::awaitable<void> follow(process& self, std::shared_ptr<muster::ledger> ledger);
    static row_name name_of(const table::row& cells);
    void check_rows(process& self, const table::page& rows);
    void check_complete(
        sim::simulation& simulation,
        const std::string& follower_name,
        const std::set<row_name>& has) const;
    std::shared_ptr<ledger> open(process& host);

    options options_;
    cluster* cluster_ = nullptr;
    std::map<std::string, std::int64_t> acknowledged_;  // by writer: batches up to this number
    std::map<std::string, follower_view> views_;
};

}  // namespace muster::sim
