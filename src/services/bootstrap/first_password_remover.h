#pragma once

#include "services/people/password_listener.h"

#include <filesystem>
#include <string>
#include <utility>

namespace muster::bootstrap {

// Removes the file with the first user's password once that user has another one: it is of no use
// any more.
class first_password_remover final : public people::password_listener {
public:
    // To be called before anybody changes a password.
    void open(std::filesystem::path file) { file_ = std::move(file); }

    void password_changed(const std::string& user) override;

private:
    std::filesystem::path file_;
};

}  // namespace muster::bootstrap
