#error The toolkit's header comes before the simulator's
