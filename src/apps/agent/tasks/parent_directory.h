#pragma once

#include "base/result.h"

#include <string>
#include <utility>

namespace muster::agent {

// The directory that a path ends in, held open: what is done in it is done there, whatever becomes
// of the path meanwhile. A link on the way is followed only if nobody but root, or whoever this
// program runs as, could have put it there; another is errc::denied.
class parent_directory {
public:
    enum class missing { make, tell };
    // The path is absolute, without "." and "..". One that is not there, and shall not be made, is
    // errc::not_found.
    static result<parent_directory> open(const std::string& path, missing missing);

    parent_directory(parent_directory&& other) noexcept
        : held_(std::exchange(other.held_, -1)), name_(std::move(other.name_)) {}
    parent_directory& operator=(parent_directory&& other) noexcept {
        std::swap(held_, other.held_);
        std::swap(name_, other.name_);
        return *this;
    }
    parent_directory(const parent_directory&) = delete;
    parent_directory& operator=(const parent_directory&) = delete;
    ~parent_directory();

    int get() const { return held_; }                   // for openat and its like
    const char* name() const { return name_.c_str(); }  // the last part of the path
    void flush() const;                                 // as well as it can be done

private:
    parent_directory(int held, std::string name) : held_(held), name_(std::move(name)) {}

    int held_ = -1;
    std::string name_;
};

}  // namespace muster::agent
