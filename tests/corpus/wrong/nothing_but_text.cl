// error: 2:1: unknown type name 'saxpy'
saxpy kernel
