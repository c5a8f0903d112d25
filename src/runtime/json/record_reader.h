#pragma once

#include "base/result.h"
#include "base/time.h"

#include <boost/json/object.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::runtime {

// Reads the members of a stored JSON record by name. Unknown members are left alone: records grow
// with new versions of the program.
class json_record_reader {
public:
    // `kind` names the record in errors. errc::corrupt when the text is no JSON object.
    static result<json_record_reader> of(std::string_view kind, std::string_view text);
    // The same for a record within another one.
    static result<json_record_reader> of_value(std::string_view kind, boost::json::value stored);

    bool has(std::string_view name) const { return find(name) != nullptr; }

    // Members that must be there. The first that is missing or of another type makes the whole
    // record corrupt; finish() reports it.
    std::string text(std::string_view name);
    std::int64_t integer(std::string_view name);
    bool boolean(std::string_view name);
    wall_time time(std::string_view name);  // microseconds since 1970
    std::vector<std::string> list(std::string_view name);
    std::map<std::string, std::int64_t> counts(std::string_view name);  // an object of integers

    // Members that may be missing. One of another type counts as missing.
    std::string text_or_empty(std::string_view name) const;
    std::int64_t integer_or_zero(std::string_view name) const;
    bool boolean_or_false(std::string_view name) const;
    std::optional<wall_time> find_time(std::string_view name) const;
    std::vector<std::string> list_or_empty(std::string_view name) const;
    std::map<std::string, std::string> texts_or_empty(std::string_view name) const;  // an object
    const boost::json::array* find_array(std::string_view name) const;
    const boost::json::value* find(std::string_view name) const;  // of any type

    // For what only the caller can check, such as a word of an enumeration.
    void mark_wrong(std::string_view name);

    template <class Record>
    result<Record> finish(Record read) const {
        CHECK_OK(outcome());
        return read;
    }

private:
    json_record_reader(std::string_view kind, boost::json::object all)
        : kind_(kind), all_(std::move(all)) {}

    result<void> outcome() const;

    std::string kind_;
    boost::json::object all_;
    std::string wrong_;
};

// How a time is stored.
std::int64_t stored_time(wall_time moment);
void put_time(boost::json::object& to, std::string_view name, const std::optional<wall_time>& when);

boost::json::array stored_list(const std::vector<std::string>& items);

}  // namespace muster::runtime
