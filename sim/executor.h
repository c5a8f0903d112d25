#pragma once

#include "sim/simulation.h"

#include <boost/asio/execution.hpp>
#include <boost/asio/execution_context.hpp>

#include <utility>

namespace muster::sim {

// Runs Asio coroutines in virtual time. A posted function becomes an event of one life of one
// process, at the current time. When that life has ended, the function is destroyed without
// running, as by kill -9.
class executor {
public:
    executor(sim::simulation& simulation, life& owner, boost::asio::execution_context& context)
        : simulation_(&simulation), owner_(&owner), context_(&context) {}

    template <class Function>
    void execute(Function&& function) const {
        simulation_->post(*owner_, action(std::forward<Function>(function)));
    }

    boost::asio::execution_context& query(
        boost::asio::execution::context_t /*property*/) const noexcept {
        return *context_;
    }
    static constexpr boost::asio::execution::blocking_t query(
        boost::asio::execution::blocking_t /*property*/) noexcept {
        return boost::asio::execution::blocking.never;
    }
    executor require(boost::asio::execution::blocking_t::never_t /*property*/) const {
        return *this;
    }

    friend bool operator==(const executor& a, const executor& b) noexcept {
        return a.owner_ == b.owner_;
    }

private:
    sim::simulation* simulation_;
    life* owner_;
    boost::asio::execution_context* context_;
};

}  // namespace muster::sim
