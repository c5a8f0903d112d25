#pragma once

#include <boost/json/object.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace muster::cli {

// Collects the results of tasks and shows equal ones once, with the names of their systems.
class output_groups {
public:
    static constexpr std::size_t groups_max = 1'000;
    static constexpr std::size_t names_max = 10;  // shown of each group

    // Returns the text of the task if it cannot be grouped, because there are too many groups.
    std::optional<std::string> add(const boost::json::object& task);

    // The largest groups first.
    std::string text() const;

private:
    struct group {
        boost::json::object task;  // of the first system
        std::vector<std::string> names;
        std::size_t systems = 0;
    };

    std::map<std::string, group> groups_;  // by the text without the name of the system
};

}  // namespace muster::cli
