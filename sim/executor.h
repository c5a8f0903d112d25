#pragma once

#include "sim/world.h"

#include <boost/asio/execution.hpp>
#include <boost/asio/execution_context.hpp>

#include <utility>

namespace muster::sim {

// Runs Asio's coroutines in virtual time: what is posted becomes an event of one life of one
// process, at the present instant, and is dropped unrun when that life has ended. A dropped
// coroutine is destroyed where it stands, as kill -9 would.
class executor {
public:
    executor(world& where, life& whose, boost::asio::execution_context& context)
        : where_(&where), whose_(&whose), context_(&context) {}

    template <class Function>
    void execute(Function&& function) const {
        where_->post(*whose_, action(std::forward<Function>(function)));
    }

    boost::asio::execution_context& query(
        boost::asio::execution::context_t /*what*/) const noexcept {
        return *context_;
    }
    static constexpr boost::asio::execution::blocking_t query(
        boost::asio::execution::blocking_t /*what*/) noexcept {
        return boost::asio::execution::blocking.never;
    }
    executor require(boost::asio::execution::blocking_t::never_t /*what*/) const { return *this; }

    friend bool operator==(const executor& a, const executor& b) noexcept {
        return a.whose_ == b.whose_;
    }

private:
    world* where_;
    life* whose_;
    boost::asio::execution_context* context_;
};

}  // namespace muster::sim
