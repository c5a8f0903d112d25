#pragma once

#include "base/result.h"

#include <string>
#include <utility>

namespace muster::agent {

// The parent directory of a path, held open, so that later changes of the path have no effect. A
// link in the path is followed only if nobody but root or the current user could create it;
// otherwise errc::denied.
class parent_directory {
public:
    enum class if_missing { create, report };
    // The path is absolute, without "." and "..". errc::not_found if a directory is missing and
    // shall not be created.
    static result<parent_directory> open(const std::string& path, if_missing mode);

    parent_directory(parent_directory&& other) noexcept
        : descriptor_(std::exchange(other.descriptor_, -1)), name_(std::move(other.name_)) {}
    parent_directory& operator=(parent_directory&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        std::swap(name_, other.name_);
        return *this;
    }
    parent_directory(const parent_directory&) = delete;
    parent_directory& operator=(const parent_directory&) = delete;
    ~parent_directory();

    int get() const { return descriptor_; }             // for openat and similar calls
    const char* name() const { return name_.c_str(); }  // the last part of the path
    void flush() const;                                 // best effort

private:
    parent_directory(int descriptor, std::string name)
        : descriptor_(descriptor), name_(std::move(name)) {}

    int descriptor_ = -1;
    std::string name_;
};

}  // namespace muster::agent
