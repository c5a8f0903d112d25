#pragma once

#include "services/people/password_listener.h"

#include <filesystem>
#include <string>
#include <utility>

namespace muster::bootstrap {

// Removes the file with the initial password after the first user changed it.
class first_password_remover final : public people::password_listener {
public:
    // Call it before any password can change.
    void open(std::filesystem::path file) { file_ = std::move(file); }

    void password_changed(const std::string& user) override;

private:
    std::filesystem::path file_;
};

}  // namespace muster::bootstrap
