"""Tables, charts and pages made from a store; nothing here changes one."""
