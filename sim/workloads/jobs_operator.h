#pragma once

#include "sim/workloads/jobs_server.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace muster::sim {

// Somebody who uses jobs through one server: makes some of every kind, and interferes with those
// that are open.
class jobs_operator {
public:
    struct options {
        std::chrono::milliseconds think{4'000};
        const std::vector<job_kind>* kinds = nullptr;
        jobs_invariants* invariants = nullptr;
        std::function<bool()> winding_down;
        std::function<void(bool result)> did;
    };
    static constexpr std::size_t open_jobs_max = 8;

    jobs_operator(process& self, std::shared_ptr<jobs_server> server, options options);

    boost::asio::awaitable<void> run();

private:
    async<void> create_job();
    async<void> change_job();

    process& self_;
    std::shared_ptr<jobs_server> server_;
    options options_;
    prng& random_;
};

}  // namespace muster::sim
