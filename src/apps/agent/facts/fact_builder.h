#pragma once

#include "apps/agent/facts/fact_collector.h"

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace muster::agent {

// Collects facts within the limits; the first value of a path wins. Not thread-safe.
class fact_builder {
public:
    void add(const std::string& path, std::string_view text);
    void add(const std::string& path, std::int64_t number);
    // Objects are flattened into longer paths; every other value is one fact.
    void add(const std::string& path, const boost::json::value& value);

    void add_problem(std::string message);
    collected_facts finish() && { return std::move(collected_); }

private:
    void insert(const std::string& path, std::string json);

    collected_facts collected_;
    std::size_t bytes_ = 0;
};

}  // namespace muster::agent
