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

// What a scenario says about a workload: `clients = 5`, …
using workload_numbers = std::map<std::string, std::int64_t>;

enum class engine_kind : std::uint8_t { metastore, bus, ledger };

std::string_view to_string(engine_kind what);  // also the name of its process

// Something the cluster is used for, and what must hold whatever happens to it. A workload stands
// outside of the simulated world: it sees all its clients at once, and forgets nothing when they
// crash. What it finds wrong it tells world::violated().
class workload {
public:
    workload() = default;
    workload(const workload&) = delete;
    workload& operator=(const workload&) = delete;
    virtual ~workload() = default;

    virtual std::set<engine_kind> needs() const = 0;

    // Adds its processes to the stage and starts them. The engines are there.
    virtual void start(cluster& stage) = 0;

    // Faults have ended and the clients were told to wind_down(): now all must be well again.
    virtual boost::asio::awaitable<void> check_at_end(process& checker) = 0;

    // For people: "12345 increments acknowledged, 7 in doubt".
    virtual std::string summary() const = 0;

    void wind_down() { winding_down_ = true; }
    const std::vector<std::string>& clients() const { return clients_; }

protected:
    bool winding_down() const { return winding_down_; }

    // A process of this workload, which a fault may crash: it is started again with `on_start`.
    process& add_client(cluster& stage, const std::string& name, process::start_function on_start);

private:
    bool winding_down_ = false;
    std::vector<std::string> clients_;
};

// errc::invalid, naming it, when there is no such workload or it knows no such number.
result<std::unique_ptr<workload>> make_workload(
    const std::string& name, const workload_numbers& numbers);

std::vector<std::string> workload_names();

}  // namespace muster::sim
