#pragma once

#include "base/result.h"
#include "sim/cluster.h"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace muster::sim {

// The numbers that a scenario sets for a workload: `clients = 5`, …
using workload_numbers = std::map<std::string, std::int64_t>;

enum class engine_kind : std::uint8_t { metastore, bus, ledger };

std::string_view to_string(engine_kind kind);  // also the name of its process

// A use of the cluster, with its invariants. A workload is outside the simulation: it sees all its
// clients at once and keeps its state when they crash. It reports violations by
// simulation::violated().
class workload {
public:
    workload() = default;
    workload(const workload&) = delete;
    workload& operator=(const workload&) = delete;
    virtual ~workload() = default;

    virtual std::set<engine_kind> needs() const = 0;

    // Adds its processes to the cluster and starts them. The engines are running.
    virtual void start(sim::cluster& cluster) = 0;

    // Called when faults have ended and clients are winding down: everything must have recovered.
    virtual boost::asio::awaitable<void> check_at_end(process& checker) = 0;

    // For people: "12345 increments acknowledged, 7 in doubt".
    virtual std::string summary() const = 0;

    void wind_down() { winding_down_ = true; }
    const std::vector<std::string>& clients() const { return clients_; }

protected:
    bool winding_down() const { return winding_down_; }

    // Adds a process that faults may crash; each restart calls `on_start`.
    process& add_client(
        sim::cluster& cluster, const std::string& name, process::start_function on_start);

private:
    bool winding_down_ = false;
    std::vector<std::string> clients_;
};

// errc::invalid, naming it, when there is no such workload or it knows no such number.
result<std::unique_ptr<workload>> make_workload(
    const std::string& name, const workload_numbers& numbers);

std::vector<std::string> workload_names();

}  // namespace muster::sim
