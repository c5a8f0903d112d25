#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

namespace muster::net {

// Event loops with one thread each: objects of one loop need no lock. finish() waits for all work
// on the loops; cancel endless work first.
class event_loops {
public:
    explicit event_loops(std::size_t count);
    event_loops(const event_loops&) = delete;
    event_loops& operator=(const event_loops&) = delete;
    ~event_loops();

    static std::size_t count_default();  // number of cores

    std::size_t size() const { return loops_.size(); }
    boost::asio::io_context::executor_type executor(std::size_t index) {
        return loops_.at(index)->context.get_executor();
    }

    void finish();

private:
    struct loop {
        boost::asio::io_context context{1};
        boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{
            context.get_executor()};
        std::thread thread;
    };

    std::vector<std::unique_ptr<loop>> loops_;
};

}  // namespace muster::net
