"""What tests of more than one folder share: servers, pages, portals, crawls, stores."""
