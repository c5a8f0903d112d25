#pragma once

#include "apps/agent/facts/survey.h"

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace muster::agent {

// Facts as they are gathered: keeps the limits, and whoever comes first with a path has it.
class collection {
public:
    void add(const std::string& path, std::string_view text);
    void add(const std::string& path, std::int64_t number);
    // Objects are spread over longer paths; everything else is one fact.
    void add(const std::string& path, const boost::json::value& value);

    void problem(std::string sentence);
    survey_outcome finish() && { return std::move(made_); }

private:
    void keep(const std::string& path, std::string json);

    survey_outcome made_;
    std::size_t bytes_ = 0;
};

}  // namespace muster::agent
