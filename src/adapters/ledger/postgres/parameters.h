#pragma once

#include "adapters/ledger/postgres/hosts.h"
#include "adapters/ledger/postgres/settings.h"
#include "core/table/value.h"

#include <string>
#include <vector>

namespace muster::ledger_postgres {

// The cells of a statement in the four arrays libpq wants.
class bound_parameters {
public:
    explicit bound_parameters(const table::row& cells);

    int count() const { return static_cast<int>(values_.size()); }
    const unsigned int* types() const { return types_.data(); }
    const char* const* values() const { return values_.data(); }
    const int* lengths() const { return lengths_.data(); }
    const int* formats() const { return formats_.data(); }

private:
    std::vector<std::string> bytes_;
    std::vector<unsigned int> types_;
    std::vector<const char*> values_;
    std::vector<int> lengths_;
    std::vector<int> formats_;
};

// What libpq is told at connect: the address, the password from its file, TLS, and limits that keep
// a session of a vanished client from holding locks.
class connect_parameters {
public:
    // `where` is one of the places that the settings' address names.
    static result<connect_parameters> of(const settings& settings, const place& where);

    const char* const* names() const { return name_pointers_.data(); }
    const char* const* values() const { return value_pointers_.data(); }

private:
    void add(std::string name, std::string value);
    void point();

    std::vector<std::string> names_;
    std::vector<std::string> values_;
    std::vector<const char*> name_pointers_;
    std::vector<const char*> value_pointers_;
};

}  // namespace muster::ledger_postgres
