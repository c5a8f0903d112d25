#pragma once

#include <map>
#include <stdlib.h>
#include <string>
#include <utility>

namespace muster::integration {

// Variables that every program has which is started while this object lives.
class environment {
public:
    explicit environment(std::map<std::string, std::string> set) : set_(std::move(set)) {
        for (const auto& [name, value] : set_)
            ::setenv(name.c_str(), value.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
    }
    environment(const environment&) = delete;
    environment& operator=(const environment&) = delete;
    ~environment() {
        for (const auto& [name, value] : set_)
            ::unsetenv(name.c_str());  // NOLINT(concurrency-mt-unsafe)
    }

private:
    std::map<std::string, std::string> set_;
};

}  // namespace muster::integration
