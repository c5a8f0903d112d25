#pragma once

#include "base/result.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace muster::api {

// An item of common data that a revision changed. Null: the item does not exist.
struct changed_item {
    std::string section;
    std::string name;
    boost::json::value before;
    boost::json::value after;
};

// A call of an operation.
struct revert_change {
    std::string operation;
    boost::json::object arguments;

    friend bool operator==(const revert_change&, const revert_change&) = default;
};

// The operations that restore the item as it was before. errc::invalid: the revision does not
// hold enough of the item, such as the text of a calendar or an activation key.
result<std::vector<revert_change>> revert_changes(const changed_item& item);

// Sections in the order in which they are restored: users of an item before the item.
const std::vector<std::string>& revertible_sections();

}  // namespace muster::api
