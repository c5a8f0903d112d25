#pragma once

#include "base/time.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace muster::api {

struct member;

// What goes into an operation and comes out of it, free of how it is written: JSON and XML-RPC are
// two spellings of it.
class value {
public:
    struct nothing {
        friend bool operator==(nothing, nothing) = default;
    };
    struct bytes {
        std::string content;
        friend bool operator==(const bytes&, const bytes&) = default;
    };
    using list = std::vector<value>;
    using record = std::vector<member>;  // in the order of making; no name twice

    value();
    value(const value& other);
    value(value&& other) noexcept;
    value& operator=(const value& other);
    value& operator=(value&& other) noexcept;
    ~value();

    // NOLINTBEGIN(google-explicit-constructor): a value is what it is made from
    value(bool flag);
    value(int integer);
    value(std::int64_t integer);
    value(double number);
    value(const char* text);
    value(std::string_view text);
    value(std::string text);
    value(wall_time when);
    value(bytes content);
    value(list items);
    value(record members);
    // NOLINTEND(google-explicit-constructor)

    bool is_nothing() const { return holds<nothing>(); }
    template <class T>
    bool holds() const {
        return std::holds_alternative<T>(what_);
    }
    // The T it holds; null when it holds something else.
    template <class T>
    const T* get() const {
        return std::get_if<T>(&what_);
    }
    template <class T>
    T* get() {
        return std::get_if<T>(&what_);
    }
    // The member of this name; null when there is none or this is no record.
    const value* find(std::string_view name) const;

    template <class Visitor>
    decltype(auto) visit(Visitor&& caller) const {
        return std::visit(std::forward<Visitor>(caller), what_);
    }

    friend bool operator==(const value& a, const value& b);

private:
    std::variant<nothing, bool, std::int64_t, double, std::string, wall_time, bytes, list, record>
        what_;
};

struct member {
    std::string name;
    value of;

    friend bool operator==(const member&, const member&) = default;
};

// How people call what it is: "a text", "a list".
std::string_view kind_of(const value& what);

}  // namespace muster::api
