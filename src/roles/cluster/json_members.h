#pragma once

#include "base/result.h"
#include "base/time.h"

#include <boost/json/object.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cluster {

// Reads the members of a stored JSON record by name. The first that is missing or of another type
// makes the whole record corrupt, which finish() tells; unknown members are left alone.
class json_members {
public:
    static result<json_members> of(std::string_view kind, std::string_view text);

    // For members that older records do not have.
    bool has(std::string_view name) const { return member(name) != nullptr; }

    std::string text(std::string_view name);
    std::int64_t integer(std::string_view name);
    bool boolean(std::string_view name);
    wall_time time(std::string_view name);  // microseconds since 1970
    std::vector<std::string> list(std::string_view name);
    std::map<std::string, std::int64_t> counts(std::string_view name);  // an object of integers

    // For what only we can check, such as a word of an enumeration.
    void mark_wrong(std::string_view name);

    template <class Record>
    result<Record> finish(Record read) const {
        CHECK_OK(outcome());
        return read;
    }

private:
    json_members(std::string_view kind, boost::json::object all)
        : kind_(kind), all_(std::move(all)) {}

    result<void> outcome() const;
    const boost::json::value* member(std::string_view name) const;

    std::string kind_;
    boost::json::object all_;
    std::string wrong_;
};

// How a time is stored.
std::int64_t stored_time(wall_time moment);

boost::json::array stored_list(const std::vector<std::string>& items);

}  // namespace muster::cluster
