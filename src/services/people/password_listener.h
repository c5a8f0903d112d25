#pragma once

#include <string>

namespace muster::people {

// Called after a password was changed.
class password_listener {
public:
    password_listener() = default;
    password_listener(const password_listener&) = delete;
    password_listener& operator=(const password_listener&) = delete;
    virtual ~password_listener() = default;

    virtual void password_changed(const std::string& user) = 0;
};

}  // namespace muster::people
